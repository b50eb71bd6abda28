"""A judgement as text or as the JSON that outside tools read."""

import orjson

from harness.model.check import Judgement, Signal
from harness.model.outcome import ExitCode, Verdict


def _signal(signal: Signal) -> dict[str, object]:
    return {
        "kind": signal.kind,
        "tool": signal.tool,
        "index": signal.index,
        "detail": signal.detail,
        "subagent": signal.subagent,
        "denied": signal.denied,
    }


def as_json(judged: Judgement) -> str:
    """Keys exactly ``status verdict axis_a axis_b signals reason``; signals are those that decide."""
    document = {
        "status": judged.status.value,
        "verdict": judged.verdict.value,
        "axis_a": judged.axis_a,
        "axis_b": judged.axis_b,
        "signals": [_signal(s) for s in judged.signals if s.decides],
        "reason": judged.reason,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def _axis(value: bool | None) -> str:
    return "n/a" if value is None else str(value).lower()


def as_text(judged: Judgement) -> str:
    lines = [
        f"{judged.verdict.value} ({judged.status.value})  axis a {_axis(judged.axis_a)}  axis b {_axis(judged.axis_b)}",
        judged.reason,
    ]
    for signal in judged.signals:
        marks = [m for m, on in (("subagent", signal.subagent), ("denied", signal.denied)) if on]
        marks += [] if signal.decides else ["does not decide"]
        noted = f" ({', '.join(marks)})" if marks else ""
        lines.append(f"  stream:{signal.index} {signal.kind} {signal.tool}: {signal.detail}{noted}")
    return "\n".join(lines)


def code_of(verdict: Verdict) -> int:
    return {
        Verdict.PASS: ExitCode.PASS,
        Verdict.FAIL: ExitCode.FAIL,
        Verdict.INVALID: ExitCode.NOT_EVALUATED,
    }[verdict]
