"""``playbooks/*.yaml`` and ``turns.yaml``: scripted assistant turns, with shared turns spliced in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

import yaml

from harness.loaders.yamlfile import MappingReader, YamlFile
from harness.model.outcome import Status, Verdict
from harness.model.problem import Problem
from harness.model.scenario import ApiFailure, ExpectedOutcome, Playbook, Subplay, ToolUse, Turn

Shared = Mapping[str, tuple[Turn, ...]]
_FAULTS = ("hang", "reset", "cut", "malformed")


def fill(value: object, variables: Mapping[str, str]) -> object:
    """``{{name}}`` replaced in every text of plain data; names that are not given stay as they are."""
    if isinstance(value, str):
        for name, text in variables.items():
            value = value.replace("{{" + name + "}}", text)
        return value
    if isinstance(value, list):
        return [fill(v, variables) for v in value]
    if isinstance(value, dict):
        return {k: fill(v, variables) for k, v in value.items()}
    return value


def _fill_turn(turn: Turn, variables: Mapping[str, str]) -> Turn:
    if not variables:
        return turn
    tools = tuple(
        ToolUse(name=t.name, input=cast("dict[str, object]", fill(dict(t.input), variables)))
        for t in turn.tools
    )
    text = str(fill(turn.text, variables))
    return Turn(text=text, tools=tools, failure=turn.failure, fault=turn.fault, delay_s=turn.delay_s)


def _tools(turn: MappingReader) -> tuple[ToolUse, ...]:
    made: list[ToolUse] = []
    for call in turn.mappings("tools"):
        names = call.keys()
        if len(names) != 1:
            turn.file.note(
                call.line, f"{call.where[:-1]} must be one tool: its input, such as Bash: {{command: ls}}"
            )
            continue
        data = call.data(names[0])
        if not isinstance(data, dict):
            call.note(names[0], "must be a mapping, the input of the tool")
            continue
        made.append(ToolUse(name=names[0], input={str(k): v for k, v in data.items()}))
    return tuple(made)


def _failure(turn: MappingReader) -> ApiFailure | None:
    error = turn.mapping("error")
    if error is None:
        return None
    headers = error.data("headers")
    pairs = tuple((str(k), str(v)) for k, v in headers.items()) if isinstance(headers, dict) else ()
    made = ApiFailure(
        status=error.whole("status", 400, required=True) or 500,
        type=error.text("type", "api_error"),
        message=error.text("message", "scripted failure"),
        times=error.whole("times"),
        headers=pairs,
    )
    error.done()
    return made


def _turn(reader: MappingReader, shared: Shared) -> tuple[Turn, ...]:
    if reader.has("use"):
        name = reader.text("use")
        given = reader.data("with")
        reader.done()
        variables = {str(k): str(v) for k, v in given.items()} if isinstance(given, dict) else {}
        if name not in shared:
            known = ", ".join(sorted(shared)) or "none"
            reader.note("use", f"names turns that no turns.yaml has: {name!r} (known: {known})")
            return ()
        return tuple(_fill_turn(t, variables) for t in shared[name])
    fault = reader.choice("fault", ("", *_FAULTS), "")
    turn = Turn(
        text=reader.text("text", ""),
        tools=_tools(reader),
        failure=_failure(reader),
        fault=cast("Literal['', 'hang', 'reset', 'cut', 'malformed']", fault),
        fault_times=reader.whole("times"),
        delay_s=reader.number("delay_s") or 0.0,
    )
    reader.done(also=("use", "with"))
    if not (turn.text or turn.tools or turn.failure or turn.fault):
        reader.file.note(
            reader.line, f"{reader.where[:-1]} says and does nothing; give text, tools, error or fault"
        )
    return (turn,)


def _turns(reader: MappingReader, key: str, shared: Shared) -> tuple[Turn, ...]:
    return tuple(t for m in reader.mappings(key, required=True) for t in _turn(m, shared))


def load_turns(path: Path, above: Shared, problems: list[Problem]) -> Shared:
    """The named turns of a ``turns.yaml`` on top of those of the suite; a missing file has none."""
    if not path.is_file():
        return above
    top = YamlFile(path, problems).top()
    if top is None:
        return above
    made = dict(above)
    for name in top.keys():  # noqa: SIM118  (a reader, not a dict)
        made[name] = _turns(top, name, made)
    return made


def _axis(reader: MappingReader, key: str) -> bool | None:
    if not reader.has(key):
        reader.note(key, "is missing; say true, false or null")
    return reader.optional_flag(key)


def _expected(top: MappingReader) -> ExpectedOutcome | None:
    expect = top.mapping("expect", required=True)
    if expect is None:
        return None
    made = ExpectedOutcome(
        status=expect.choice("status", tuple(Status), Status.COMPLETED.value),
        verdict=expect.choice("verdict", tuple(Verdict)),
        axis_a=_axis(expect, "axis_a"),
        axis_b=_axis(expect, "axis_b"),
    )
    expect.done()
    return made


def _subplay(reader: MappingReader, shared: Shared) -> Subplay:
    made = Subplay(match=reader.text("match"), turns=_turns(reader, "turns", shared))
    reader.done()
    return made


def load_playbook(
    path: Path, shared: Shared, kinds: tuple[str, ...], problems: list[Problem]
) -> Playbook | None:
    """One playbook, or None after a problem was noted."""
    top = YamlFile(path, problems).top()
    if top is None:
        return None
    subagents = tuple(_subplay(m, shared) for m in top.mappings("subagents"))
    replies = [top.file.value(node) for _, node in top.items("judge") if isinstance(node, yaml.MappingNode)]
    made = Playbook(
        name=path.stem,
        kind=top.choice("kind", kinds) if kinds else top.text("kind"),
        note=top.text("note", ""),
        path=path,
        turns=_turns(top, "turns", shared),
        subagents=subagents,
        expect=_expected(top),
        deny=top.texts("deny") or (),
        max_turns=top.whole("max_turns"),
        judge=tuple({str(k): v for k, v in r.items()} for r in replies if isinstance(r, dict)),
    )
    top.done()
    return made
