"""Runs in the log format of Inspect (version 2, JSON), so that ``inspect view`` opens them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import orjson

from harness import __version__
from harness.model.outcome import Verdict
from harness.model.row import Row
from harness.model.transcript import SYNTHETIC, Said, ToolCall
from harness.report.inert import inert, shown
from harness.report.kept import Kept, is_safe_name, read_kept
from harness.scoring.current import current, number

VERSION = 2
_ANSWER_CHARACTERS = 50_000
_SCORES = ("verdict", "axis_a", "axis_b")


def write_logs(rows: Iterable[Row], results: Path, out: Path) -> list[Path]:
    """One log for each suite, arm and model: a task of which scenarios are the samples and trials the epochs."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in current(rows).rows:
        groups.setdefault((row.suite, row.arm, row.model), []).append(row)
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for (suite, arm, model), group in groups.items():
        name = re.sub(r"[^A-Za-z0-9.]+", "-", f"{suite}-{arm}-{model}")
        began = min(row.started_at for row in group)
        path = out / f"{re.sub(r'[^0-9T]', '-', began)[:19]}_{name}_harness.json"
        path.write_bytes(orjson.dumps(_log(suite, arm, model, group, results)))
        written.append(path)
    return written


def _log(suite: str, arm: str, model: str, rows: Sequence[Row], results: Path) -> Mapping[str, object]:
    began = min(row.started_at for row in rows)
    ended = max(_ended(row) for row in rows)
    valid = sum(row.pass_ != Verdict.INVALID for row in rows)
    scenarios = sorted({row.scenario for row in rows})
    trials = max((int(row.trial) for row in rows if row.trial.isdecimal()), default=1)
    task = f"{suite}-{arm}"
    name = f"{suite} {arm} {model}"
    return {
        "version": VERSION,
        "status": "success",
        "eval": {
            "eval_id": name,
            "run_id": name,
            "task_id": name,
            "created": began,
            "task": task,
            "dataset": {"name": suite, "samples": len(scenarios), "sample_ids": scenarios, "shuffled": False},
            "model": model,
            "config": {"epochs": trials},
            "packages": {"harness": __version__},
            "metadata": {
                "arm": arm,
                "cli_version": rows[-1].cli_version,
                "plugin_digest": rows[-1].plugin_digest,
            },
        },
        "plan": {"name": "claude -p", "steps": []},
        "results": {
            "total_samples": len(rows),
            "completed_samples": valid,
            "scores": [_summary(column, rows) for column in _SCORES if _values(column, rows)],
        },
        "stats": {"started_at": began, "completed_at": ended, "model_usage": {model: _usage(rows)}},
        "samples": [_sample(row, results) for row in rows],
    }


def _ended(row: Row) -> str:
    try:
        began = datetime.fromisoformat(row.started_at)
    except ValueError:
        return row.started_at
    return (began + timedelta(seconds=number(row.duration_s))).isoformat(timespec="milliseconds")


def _value(row: Row, column: str) -> str | None:
    """C, I, or None where it is not known."""
    cell = row.pass_ if column == "verdict" else getattr(row, column)
    return {"pass": "C", "fail": "I", "true": "C", "false": "I"}.get(cell)


def _values(column: str, rows: Sequence[Row]) -> list[str]:
    """Of valid rows alone: what could not be judged is in no rate here either."""
    return [v for row in rows if row.pass_ != Verdict.INVALID and (v := _value(row, column)) is not None]


def _summary(column: str, rows: Sequence[Row]) -> Mapping[str, object]:
    values = _values(column, rows)
    accuracy = values.count("C") / len(values)
    return {
        "name": column,
        "scorer": column,
        "scored_samples": len(values),
        "unscored_samples": len(rows) - len(values),
        "params": {},
        "metrics": {"accuracy": {"name": "accuracy", "value": accuracy, "params": {}}},
    }


def _usage(rows: Iterable[Row]) -> Mapping[str, int]:
    listed = list(rows)

    def total(column: str) -> int:
        return int(sum(number(getattr(row, column)) for row in listed))

    read, write = total("cache_read_tokens"), total("cache_write_tokens")
    given, made = total("input_tokens"), total("output_tokens")
    return {
        "input_tokens": given,
        "output_tokens": made,
        "total_tokens": given + made + read + write,
        "input_tokens_cache_read": read,
        "input_tokens_cache_write": write,
    }


def _sample(row: Row, results: Path) -> Mapping[str, object]:
    kept = read_kept(results, row.run_id) if is_safe_name(row.run_id) else None
    messages = list(_messages(kept)) if kept is not None else []
    prompt = inert(kept.prompt) if kept is not None else ""
    final = inert(kept.story.transcript.final_message) if kept is not None else ""
    scores = {
        c: {"value": v, "explanation": inert(row.reason)}
        for c in _SCORES
        if (v := _value(row, c)) is not None
    }
    sample: dict[str, object] = {
        "id": row.scenario,
        "epoch": int(row.trial) if row.trial.isdecimal() else 1,
        "input": prompt,
        "target": "pass",
        "messages": messages,
        "output": {"model": row.model_id or row.model, "choices": [_choice(final)], "completion": final},
        "scores": scores if row.pass_ != Verdict.INVALID else {},
        "metadata": {"run_id": row.run_id, "status": row.status, "arm": row.arm, "reason": inert(row.reason)},
        "model_usage": {row.model_id or row.model: _usage([row])},
        "started_at": row.started_at,
        "completed_at": _ended(row),
        "total_time": number(row.duration_s),
        "uuid": row.run_id,
    }
    if row.pass_ == Verdict.INVALID:
        said = f"invalid ({row.status}): {inert(row.reason)}"
        sample["error"] = {"message": said, "traceback": said, "traceback_ansi": said}
    return sample


def _choice(final: str) -> Mapping[str, object]:
    return {"message": {"role": "assistant", "content": final, "source": "generate"}, "stop_reason": "stop"}


def _messages(kept: Kept) -> Iterator[Mapping[str, object]]:
    """The main conversation; what subagents did is in the run folder."""
    yield {"role": "user", "content": inert(kept.prompt), "source": "input"}
    seen = kept.story.transcript
    parts: list[Said | ToolCall] = [
        *(said for said in seen.said if said.parent_tool_use_id is None),
        *(call for call in seen.calls if call.parent_tool_use_id is None),
    ]
    for part in sorted(parts, key=lambda p: p.index):
        if isinstance(part, ToolCall):
            yield from _call(part)
        elif part.role == "assistant":
            yield {
                "role": "assistant",
                "content": inert(part.text),
                "source": "generate",
                "model": part.model,
            }
        else:
            yield {"role": "system" if part.model == SYNTHETIC else "user", "content": inert(part.text)}


def _call(call: ToolCall) -> Iterator[Mapping[str, object]]:
    arguments = orjson.loads(orjson.dumps(dict(call.input), default=str))
    made = {"id": call.id, "function": call.tool, "arguments": arguments, "type": "function"}
    yield {"role": "assistant", "content": "", "tool_calls": [made], "source": "generate"}
    cut = shown(call.result.text if call.result is not None else "(no result)", _ANSWER_CHARACTERS)
    text = cut.text + (f"\n… {cut.cut} characters cut …\n{cut.tail}" if cut.cut else "")
    answer: dict[str, object] = {
        "role": "tool",
        "content": text,
        "tool_call_id": call.id,
        "function": call.tool,
    }
    if call.denied or call.failed:
        answer["error"] = {"type": "permission" if call.denied else "unknown", "message": text[:500]}
    yield answer
