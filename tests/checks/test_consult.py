from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from harness.checks.consult import signals
from harness.model.check import Signal
from harness.model.event import Init, Plugin, ToolResultBlock, Usage
from harness.model.scenario import ConsultRule
from harness.model.transcript import StreamFaults, ToolCall, Transcript

WORLD, PLUGIN = "/world", "/plugins/os-adr"
RULE = ConsultRule(skills=("os-adr:*",), commands=("adr-*",), paths=("docs/adr/**",))
INIT = Init(
    index=0,
    session_id="s",
    cwd=WORLD,
    model="m",
    tools=("Bash", "Read", "Skill"),
    skills=("os-adr:adr-find", "os-adr:adr-write", "os-adr:adr-supersede"),
    slash_commands=(),
    plugins=(Plugin(name="os-adr", path=PLUGIN, source="os-adr@inline"),),
    plugin_errors=(),
    mcp_servers=(),
    permission_mode="default",
    cli_version="2.1.332",
    api_key_source="none",
)


def transcript(*calls: ToolCall, init: Init | None = INIT) -> Transcript:
    return Transcript(
        init=init,
        hooks_started=(),
        hooks=(),
        calls=calls,
        said=(),
        results=(),
        retries=(),
        rate_limits=(),
        models=("m",),
        synthetic=False,
        synthetic_error="",
        first_action_index=1,
        compactions=0,
        assistant_messages=len(calls),
        events=2 * len(calls) + 1,
        faults=StreamFaults(),
        usage=Usage(),
    )


def call(
    tool: str,
    given: Mapping[str, object],
    *,
    index: int = 1,
    parent: str | None = None,
    output: str | None = "",
    failed: bool = False,
    denied: bool = False,
) -> ToolCall:
    result = (
        None if output is None else ToolResultBlock(tool_use_id=f"t{index}", text=output, is_error=failed)
    )
    return ToolCall(
        id=f"t{index}",
        tool=tool,
        input=given,
        readable=True,
        index=index,
        parent_tool_use_id=parent,
        result=result,
        denied=denied,
    )


def bash(command: str, **more: object) -> ToolCall:
    return call("Bash", {"command": command}, **more)  # type: ignore[arg-type]


def found(
    *calls: ToolCall, rule: ConsultRule = RULE, links: Mapping[str, str] | None = None
) -> tuple[Signal, ...]:
    return signals(transcript(*calls), rule, cwd=WORLD, plugin_root=PLUGIN, links=links)


class Case(NamedTuple):
    tool: str
    given: Mapping[str, object]
    signal: bool
    kind: str | None


def labelled() -> list[Case]:
    text = (Path(__file__).parents[1] / "data" / "signals.yaml").read_text(encoding="utf-8")
    return [Case(c["tool"], c["input"], c["signal"], c["kind"]) for c in yaml.safe_load(text)]


def test_labelled_calls_are_many() -> None:
    assert len(labelled()) >= 250


def test_precision_and_recall_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    cases = labelled()
    said = [any(s.decides for s in found(call(c.tool, c.given))) for c in cases]
    hits = sum(c.signal and s for c, s in zip(cases, said, strict=True))
    precision, recall = hits / sum(said), hits / sum(c.signal for c in cases)
    with capsys.disabled():
        print(f"\nsignals: {len(cases)} labelled calls, precision {precision:.4f}, recall {recall:.4f}")
    wrong = [(c.given, c.signal) for c, s in zip(cases, said, strict=True) if c.signal is not s]
    assert (precision, recall, wrong) == (1.0, 1.0, [])


def test_each_labelled_call_has_its_kind() -> None:
    seen = [(c, {s.kind for s in found(call(c.tool, c.given))}) for c in labelled()]
    wrong = [(c.given, c.kind, kinds) for c, kinds in seen if (c.kind not in kinds if c.kind else kinds)]
    assert wrong == []
