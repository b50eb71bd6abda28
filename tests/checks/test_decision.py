from pathlib import Path

import pytest

from harness.checks.decision import retrieval, written
from harness.checks.files import WorldView, holds
from harness.errors import UserError
from harness.model.change import Change
from harness.model.check import Finding
from harness.model.scenario import FileRule, RetrievalExpectation, WriteExpectation

EXPECT = RetrievalExpectation(
    adr="ADR-0007",
    distractors=("ADR-0003", "ADR-0011"),
    acted=(FileRule(path="src/**/*.py", matches=r"^import valkey$"), FileRule(path="src/**", lacks="pickle")),
    against=(FileRule(path="src/**", matches="import redis"),),
)
OLD = """---
id: ADR-{n:04}
title: Cache in {what}
status: Accepted
date: 2024-01-02
affected-paths: [src/cache/**]
---
## Context
We need a cache.
## Decision
Use {what}.
## Consequences
One more service.
"""
NEW = """---
id: ADR-0005
title: Use valkey for the cache
status: Accepted
date: 2025-03-04
affected-paths:
  - src/cache/**
supersedes: ADR-0004
---
## Context
The licence changed.
## Decision
Use Valkey.
## Consequences
Migrate.
"""
WANTED = WriteExpectation(topic=(("redis", "valkey"), ("cache", "caching")), affected_paths=("src/cache/**",))
REVERSAL = WriteExpectation(topic=(("valkey",),), affected_paths=("src/cache/**",), supersedes="ADR-0004")


@pytest.fixture
def fixture(tmp_path: Path) -> Path:
    root = tmp_path / "world"
    for number, what in ((3, "files"), (4, "redis")):
        path = root / "docs" / "adr" / f"{number:04}-{what}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(OLD.format(n=number, what=what))
    (root / "src" / "cache").mkdir(parents=True)
    (root / "src" / "cache" / "store.py").write_text("import shelve\n")
    (root / "src" / "logo.png").write_bytes(b"\x89PNG\xff")
    return root


def changed(path: str, after: str | None, *, before: str | None = None) -> Change:
    kind = "deleted" if after is None else "added" if before is None else "modified"
    return Change(path=path, kind=kind, type="file", before=before, after=after)  # type: ignore[arg-type]


STORE = "src/cache/store.py"
RIGHT = changed(STORE, "import valkey\n", before="import shelve\n")
WRONG = changed(STORE, "import redis\n", before="import shelve\n")
UNRELATED = changed("README.md", "hello\n")


def found(fixture: Path, message: str, *changes: Change) -> Finding:
    view = WorldView(fixture=fixture, changes=changes)
    return retrieval(EXPECT, final_message=message, changes=changes, view=view)


@pytest.mark.parametrize(
    ("message", "changes", "value"),
    [
        ("Followed ADR-0007.", (RIGHT,), True),
        ("Followed ADR-0007.", (), True),
        ("See docs/adr/0007-valkey.md", (), True),
        ("Followed ADR-0007.", (WRONG,), False),
        ("As ADR-0003 says, files it is.", (), False),
        ("As ADR-0003 says.", (RIGHT,), False),
        ("ADR-0007 and ADR-0003 both matter.", (), False),
        ("ADR-0007 and ADR-0003 both matter.", (RIGHT,), True),
        ("ADR-0007 supersedes ADR-0003.", (), True),
        ("ADR-0003 is superseded by ADR-0007.", (), True),
        ("I followed ADR-0007; ADR-0003 was rejected.", (), True),
        ("Per ADR-0007, not ADR-0003, we use valkey.", (), True),
        ("ADR-0007 applies here rather than ADR 3.", (), True),
        ("ADR-0007 governs. ADR-0003 no longer applies.", (), True),
        ("ADR-0007 governs.\n- ADR-0003: superseded\n- ADR-0011: rejected", (), True),
        ("ADR-0007 governs.\n- ADR-0003: superseded\n- ADR-0011: for images", (), False),
        ("ADR-0007 is superseded by ADR-0003.", (), False),
        ("ADR-0003 replaces ADR-0007.", (), False),
        ("Something was superseded. I used ADR-0003 and ADR-0007.", (), False),
        ("Done.", (RIGHT,), True),
        ("Done.", (UNRELATED,), False),
        ("Done.", (), False),
        ("", (), False),
        ("  \n", (), False),
        ("", (RIGHT,), True),
        ("Moved ADR-00071 and 7 files.", (), False),
    ],
    ids=lambda v: v[:40] if isinstance(v, str) else None,
)
def test_retrieval(fixture: Path, message: str, changes: tuple[Change, ...], value: bool) -> None:
    finding = found(fixture, message, *changes)
    assert (finding.name, finding.value, bool(finding.evidence)) == ("axis_b", value, True)


def test_rules_that_the_fixture_meets_already_are_no_evidence(fixture: Path) -> None:
    expect = RetrievalExpectation(adr="ADR-0007", acted=(FileRule(path="src/**", lacks="redis"),))
    finding = retrieval(
        expect, final_message="Done.", changes=(), view=WorldView(fixture=fixture, changes=())
    )
    assert finding.value is False


def test_reason_names_the_file_and_line_that_decided(fixture: Path) -> None:
    finding = found(fixture, "ADR-0007", changed(STORE, "x = 1\nimport redis\n", before="x = 1\n"))
    assert finding.evidence[0].where == f"{STORE}:2"


def test_a_comment_in_the_code_is_a_citation(fixture: Path) -> None:
    change = changed(STORE, "import shelve\n# per ADR-0007\n", before="import shelve\n")
    finding = found(fixture, "Done.", change)
    assert (finding.value, finding.evidence[0].where) == (True, f"{STORE}:2")


def test_a_copied_decision_is_no_citation(fixture: Path) -> None:
    copy = changed("notes/old.md", (fixture / "docs/adr/0003-files.md").read_text())
    assert found(fixture, "Followed ADR-0007.", copy).value is True


def test_without_a_world_words_alone_decide() -> None:
    values = [
        retrieval(EXPECT, final_message=message, changes=None, view=None).value
        for message in ("ADR-0007", "ADR-0003", "Done.", "")
    ]
    assert values == [True, False, False, False]


@pytest.mark.parametrize(
    ("rule", "value", "where"),
    [
        (FileRule(path="src/**/*.py", matches="^import"), True, f"{STORE}:1"),
        (FileRule(path="src/**", lacks="redis"), True, "src/**"),
        (FileRule(path="src/**", lacks="shelve"), False, f"{STORE}:1"),
        (FileRule(path="src/*.py", matches="import"), False, "src/*.py"),
        (FileRule(path="src/{cache,x}/*.py", exists=True), True, "src/{cache,x}/*.py"),
        (FileRule(path="src/gone.py", exists=False), True, "src/gone.py"),
        (FileRule(path="docs/adr/000[34]-*.md", exists=False), False, "docs/adr/000[34]-*.md"),
    ],
    ids=["matches", "lacks", "lacks-not", "one-level", "braces", "absent", "class"],
)
def test_file_rules(fixture: Path, rule: FileRule, value: bool, where: str) -> None:
    held, evidence = holds(rule, WorldView(fixture=fixture, changes=()))
    assert (held, evidence.where) == (value, where)


def test_a_rule_that_asks_nothing_is_the_authors_mistake(fixture: Path) -> None:
    with pytest.raises(UserError, match="asks nothing"):
        holds(FileRule(path="x"), WorldView(fixture=fixture, changes=()))


def test_view_lays_changes_over_the_fixture(fixture: Path) -> None:
    changes = (RIGHT, changed("docs/adr/0003-files.md", None, before="x"), changed("new.txt", "hi"))
    view = WorldView(fixture=fixture, changes=changes)
    assert (view.text(STORE), view.glob("docs/**"), view.text("new.txt"), view.text("src/logo.png")) == (
        "import valkey\n", ["docs/adr/0004-redis.md"], "hi", None
    )  # fmt: skip


def adr(fixture: Path, *changes: Change, expect: WriteExpectation = WANTED) -> Finding | None:
    view = WorldView(fixture=fixture, changes=changes)
    return written(expect, adr_dir="docs/adr", changes=changes, view=view)


def new(text: str = NEW, name: str = "0005-valkey.md") -> Change:
    return changed(f"docs/adr/{name}", text)


def old(fixture: Path, *swaps: tuple[str, str], name: str = "0004-redis.md") -> Change:
    before = (fixture / "docs/adr" / name).read_text()
    after = before
    for was, now in swaps:
        assert was in after
        after = after.replace(was, now)
    return changed(f"docs/adr/{name}", after, before=before)


@pytest.mark.parametrize(
    "path", ["src/x.py", "docs/adr/notes.md", "docs/adr-archive/0005-x.md", "docs/0005-x.md"]
)
def test_no_new_decision_is_left_to_the_judge(fixture: Path, path: str) -> None:
    assert adr(fixture, changed(path, NEW)) is None


def test_unknown_changes_are_left_to_the_judge() -> None:
    assert written(WANTED, adr_dir="docs/adr", changes=None, view=None) is None


def test_a_good_new_decision_passes(fixture: Path) -> None:
    finding = adr(fixture, new())
    assert finding is not None
    assert (finding.name, finding.value, finding.evidence[0].where) == (
        "axis_b",
        True,
        "docs/adr/0005-valkey.md",
    )


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("id: ADR-0005", "id: ADR-0006", "does not match the number"),
        ("title: Use valkey for the cache", "", "lacks title"),
        ("status: Accepted", "status: Draft", "status 'Draft'"),
        ("date: 2025-03-04", "date: soon", "no YYYY-MM-DD"),
        ("affected-paths:\n  - src/cache/**", "affected-paths: []", "lacks affected-paths"),
        ("src/cache/**", "docs/**", "miss"),
        ("src/cache/**", '"**"', "miss"),
        ("## Consequences\nMigrate.\n", "", "section Consequences is missing"),
        ("## Decision\nUse Valkey.\n", "## Decision\n\n", "section Decision is empty"),
        ("for the cache", "for cached pages", "says nothing of cache or caching"),
        ("title: Use valkey", "title: [Use valkey", "malformed"),
        ("---\nid", "id", "has no front matter"),
    ],
    ids=[
        "id",
        "title",
        "status",
        "date",
        "no-paths",
        "paths",
        "all-paths",
        "section",
        "empty",
        "topic",
        "yaml",
        "none",
    ],
)
def test_a_fault_fails_and_is_named(fixture: Path, was: str, now: str, said: str) -> None:
    assert was in NEW
    finding = adr(fixture, new(NEW.replace(was, now, 1)))
    assert finding is not None
    assert finding.value is False
    assert said in finding.reason
    assert finding.evidence[0].where.startswith("docs/adr/0005-valkey.md")


def test_malformed_front_matter_is_shown_with_its_line(fixture: Path) -> None:
    finding = adr(fixture, new(NEW.replace("status: Accepted", "status: a: b", 1)))
    assert finding is not None
    assert finding.evidence[0].where == "docs/adr/0005-valkey.md:4"


@pytest.mark.parametrize(
    ("names", "value"),
    [
        (("0005",), True),
        (("0006",), False),
        (("0004",), False),
        (("0001",), False),
        (("0005", "0006"), True),
        (("0005", "0007"), False),
    ],
    ids=["next", "gap", "taken", "hole", "two", "two-with-gap"],
)
def test_numbers_follow_on(fixture: Path, names: tuple[str, ...], value: bool) -> None:
    made = [new(NEW.replace("ADR-0005", f"ADR-{n}"), f"{n}-x.md") for n in names]
    finding = adr(fixture, *made)
    assert finding is not None
    assert finding.value is value


@pytest.mark.parametrize(
    "path",
    [
        "src/cache/store.py",
        "src/cache/new.py",
        "src/**",
        "src/cache/*.py",
        "./src/cache/",
        "src/{cache,x}/**",
    ],
)
def test_affected_paths_overlap(fixture: Path, path: str) -> None:
    finding = adr(fixture, new(NEW.replace("src/cache/**", f'"{path}"')))
    assert finding is not None
    assert finding.value is True, finding.reason


MARKED = ("status: Accepted", "status: Superseded\nsuperseded-by: ADR-0005")


def test_a_reversal_linked_both_ways_passes(fixture: Path) -> None:
    finding = adr(fixture, new(), old(fixture, MARKED), expect=REVERSAL)
    assert finding is not None
    assert finding.value is True, finding.reason


def test_a_note_added_to_the_old_decision_is_no_damage(fixture: Path) -> None:
    note = ("## Context", "Superseded by ADR-0005.\n\n## Context")
    finding = adr(fixture, new(), old(fixture, MARKED, note), expect=REVERSAL)
    assert finding is not None
    assert finding.value is True, finding.reason


@pytest.mark.parametrize(
    ("swaps", "said"),
    [
        ([], "not marked as superseded"),
        ([("status: Accepted", "status: Rejected\nsuperseded-by: ADR-0005")], "not Superseded"),
        ([("status: Accepted", "status: Superseded")], "does not say that it is superseded by"),
        ([MARKED, ("Use redis.", "Use valkey.")], "text of ADR-0004 was changed"),
        ([MARKED, ("Cache in redis", "Cache in valkey")], "title of ADR-0004 was changed"),
        ([MARKED, ("id: ADR-0004", "id: [")], "malformed"),
    ],
    ids=["untouched", "status", "no-link", "body", "title", "broken"],
)
def test_a_reversal_half_done_fails(fixture: Path, swaps: list[tuple[str, str]], said: str) -> None:
    changes = (new(), old(fixture, *swaps)) if swaps else (new(),)
    finding = adr(fixture, *changes, expect=REVERSAL)
    assert finding is not None
    assert (finding.value, said in finding.reason) == (False, True), finding.reason


def test_a_reversal_without_supersedes_fails(fixture: Path) -> None:
    text = NEW.replace("supersedes: ADR-0004\n", "")
    finding = adr(fixture, new(text), old(fixture, MARKED), expect=REVERSAL)
    assert finding is not None
    assert (finding.value, "does not say that it supersedes ADR-0004" in finding.reason) == (False, True)


@pytest.mark.parametrize("damage", ["deleted", "emptied", "rewritten", "demoted"])
def test_damage_to_another_decision_fails(fixture: Path, damage: str) -> None:
    name = "0003-files.md"
    change = {
        "deleted": changed(f"docs/adr/{name}", None, before="x"),
        "emptied": changed(f"docs/adr/{name}", "", before=(fixture / "docs/adr" / name).read_text()),
        "rewritten": old(fixture, ("Use files.", "Use tapes."), name=name),
        "demoted": old(fixture, ("status: Accepted", "status: Rejected"), name=name),
    }[damage]
    finding = adr(fixture, new(), change)
    assert finding is not None
    assert finding.value is False
    assert any(e.where.startswith("docs/adr/0003-files.md") for e in finding.evidence)
