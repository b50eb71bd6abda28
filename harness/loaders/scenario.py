"""``scenario.yaml`` with its playbooks."""

import re
from pathlib import Path
from typing import cast

from harness.loaders.limits import read_limits
from harness.loaders.playbook import Shared, load_playbook, load_turns
from harness.loaders.yamlfile import MappingReader, YamlFile
from harness.model.problem import Problem
from harness.model.scenario import (
    Expectation,
    FileRule,
    ImportEdge,
    Kind,
    Playbook,
    RetrievalExpectation,
    Scenario,
    Suite,
    WriteExpectation,
)

_ADR_ID = re.compile(r"ADR-\d{4}")


def _pattern(rule: MappingReader, key: str) -> str | None:
    if not rule.has(key):
        return None
    text = rule.text(key)
    try:
        re.compile(text)
    except re.error as error:
        rule.note(key, f"is not a regular expression: {error}")
        return None
    return text


def _file_rule(rule: MappingReader) -> FileRule:
    asked = [key for key in ("matches", "lacks", "exists") if rule.has(key)]
    if len(asked) != 1:
        rule.file.note(rule.line, f"{rule.where[:-1]} must ask exactly one of matches, lacks, exists")
    made = FileRule(
        path=rule.text("path"),
        matches=_pattern(rule, "matches"),
        lacks=_pattern(rule, "lacks"),
        exists=rule.optional_flag("exists"),
    )
    rule.done(also=("matches", "lacks", "exists"))
    return made


def _adr_ids(reader: MappingReader, key: str) -> tuple[str, ...]:
    ids = reader.texts(key) or ()
    for adr in ids:
        if not _ADR_ID.fullmatch(adr):
            reader.note(key, f"holds {adr!r}; write ids as ADR-0007")
    return ids


def _retrieval(reader: MappingReader) -> RetrievalExpectation:
    (adr, *_) = _adr_ids(reader, "adr") or ("",)
    if not adr:
        reader.note("adr", "is missing; name the decision that governs the change")
    made = RetrievalExpectation(
        adr=adr,
        distractors=_adr_ids(reader, "distractors"),
        acted=tuple(_file_rule(r) for r in reader.mappings("acted")),
        against=tuple(_file_rule(r) for r in reader.mappings("against")),
    )
    if adr in made.distractors:
        reader.note("distractors", f"holds {adr}, the correct decision; take it out")
    reader.done()
    return made


def _write(reader: MappingReader, rubric: str) -> WriteExpectation:
    (supersedes, *_) = _adr_ids(reader, "supersedes") or (None,)
    made = WriteExpectation(
        status=reader.texts("status") or ("Proposed", "Accepted"),
        topic=reader.lists_of_texts("topic"),
        affected_paths=reader.texts("affected_paths") or (),
        supersedes=supersedes,
        rubric=rubric,
    )
    if not made.topic:
        reader.file.note(reader.line, "expect.topic is missing; say which terms a decision on this must hold")
    reader.done()
    return made


def _expectation(top: MappingReader, kind: str) -> Expectation:
    rubric = top.text("rubric", "")
    reader = top.mapping("expect", required=True)
    if reader is None:
        return RetrievalExpectation(adr="")
    if kind == "retrieval":
        return _retrieval(reader)
    if not rubric.strip():
        top.note("rubric", "is missing; a write-trigger scenario needs it for the proposal judge")
    return _write(reader, rubric)


def _graph(reader: MappingReader | None) -> ImportEdge | None:
    if reader is None:
        return None
    made = ImportEdge(conflict=reader.text("conflict"), affected=reader.text("affected"))
    reader.done()
    return made


def _playbooks(folder: Path, suite: Suite, shared: Shared, problems: list[Problem]) -> dict[str, Playbook]:
    found = [load_playbook(p, shared, suite.playbook_kinds, problems) for p in sorted(folder.glob("*.yaml"))]
    return {p.name: p for p in found if p is not None}


def load_scenario(folder: Path, suite: Suite, above: Shared, problems: list[Problem]) -> Scenario | None:
    """One scenario, or None where its file cannot be read at all; what is wrong is added to ``problems``."""
    top = YamlFile(folder / "scenario.yaml", problems).top()
    if top is None:
        return None
    name = top.text("id")
    if name and name != folder.name:
        top.note("id", f"is {name!r} but the folder is {folder.name!r}; make them the same")
    kind = top.choice("kind", ("retrieval", "write-trigger"))
    fixture = suite.root / "fixtures" / top.text("fixture")
    if not fixture.is_dir():
        top.note("fixture", f"names {fixture}, which is not a folder; give a folder under fixtures/")
    shared = load_turns(folder / "turns.yaml", above, problems)
    made = Scenario(
        id=name,
        title=top.text("title", ""),
        kind=cast("Kind", kind),
        held_out=top.flag("held_out", suite.held_out),
        tags=top.texts("tags") or (),
        folder=folder,
        fixture=fixture,
        prompt=top.text("prompt"),
        expect=_expectation(top, kind),
        limits=read_limits(top.mapping("limits"), suite.limits),
        graph=_graph(top.mapping("graph")),
        never_say=suite.never_say + (top.texts("never_say") or ()),
        playbooks=_playbooks(folder / "playbooks", suite, shared, problems),
        lines={key: top.line_of(key) for key in top.keys()},  # noqa: SIM118  (a reader, not a dict)
    )
    top.done()
    return made
