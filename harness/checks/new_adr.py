"""Whether a new decision file says the expected thing in the right form, and leaves the others whole."""

import re
from collections.abc import Sequence

from harness.checks.adr_file import AdrFile, keeps, number_of, parse, problems
from harness.checks.files import WorldView, glob_regex
from harness.checks.shell.pattern import braces
from harness.model.change import Change
from harness.model.check import Evidence, Finding
from harness.model.scenario import WriteExpectation

Problem = tuple[str, str]
"""Where, and what is wrong there."""


def written(
    expect: WriteExpectation, *, adr_dir: str, changes: tuple[Change, ...] | None, view: WorldView | None
) -> Finding | None:
    """Axis b of a write-trigger scenario; None where no decision file is new: a judge has to be asked.

    Passes if one of the new files has no fault, the numbers follow on, and no other decision is damaged.
    """
    made = _made(changes or (), adr_dir)
    if not made or changes is None:
        return None
    shared = [*_numbers(made, changes, view, adr_dir), *_damage(made, changes, adr_dir, expect)]
    own = [(adr, _faults(adr, expect, changes, view, adr_dir)) for adr in made]
    adr, faults = min(own, key=lambda pair: len(pair[1]))
    wrong = [*shared, *faults]
    if wrong:
        reason = f"{adr.path}: " + "; ".join(dict.fromkeys(what for _, what in wrong))
        return Finding(name="axis_b", value=False, reason=reason, evidence=_evidence(wrong))
    title = Evidence(where=adr.path, text=f"{adr.id}, {adr.status}: {adr.meta.get('title')}")
    return Finding(name="axis_b", value=True, reason=f"wrote {adr.path} as expected", evidence=(title,))


def _evidence(wrong: Sequence[Problem]) -> tuple[Evidence, ...]:
    return tuple(Evidence(where=where, text=what) for where, what in wrong)


def _made(changes: Sequence[Change], adr_dir: str) -> list[AdrFile]:
    made: list[AdrFile] = []
    for change in changes:
        number = number_of(change.path, adr_dir)
        if number is not None and change.kind == "added" and change.type == "file":
            made.append(parse(change.path, number, change.after or ""))
    return sorted(made, key=lambda adr: adr.path)


def _numbers(
    made: Sequence[AdrFile], changes: Sequence[Change], view: WorldView | None, adr_dir: str
) -> list[Problem]:
    new = {adr.path for adr in made}
    paths = {c.path for c in changes} | set(view.paths if view is not None else ())
    taken = [n for p in paths - new if (n := number_of(p, adr_dir)) is not None]
    if view is None:
        return []
    first = max(taken, default=0) + 1
    wanted = list(range(first, first + len(made)))
    if sorted(adr.number for adr in made) == wanted:
        return []
    return [(adr.path, f"number {adr.number:04} is not the next free one, {first:04}") for adr in made]


def _faults(
    adr: AdrFile, expect: WriteExpectation, changes: Sequence[Change], view: WorldView | None, adr_dir: str
) -> list[Problem]:
    if adr.problem:
        return [(f"{adr.path}:{adr.problem_line}", adr.problem)]
    found = problems(adr)
    if adr.status.casefold() not in {s.casefold() for s in expect.status}:
        found.append(f"status {adr.status!r} is none of {', '.join(expect.status)}")
    text = f"{adr.meta.get('title', '')}\n{adr.body}"
    for group in expect.topic:
        if not any(re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text, re.IGNORECASE) for term in group):
            found.append(f"says nothing of {' or '.join(group)}")
    if expect.affected_paths and not overlap(adr.affected_paths, expect.affected_paths, view):
        found.append(f"affected-paths {list(adr.affected_paths)} miss {list(expect.affected_paths)}")
    faults = [(adr.path, what) for what in found]
    if expect.supersedes is not None:
        faults += _supersedes(adr, expect.supersedes, changes, adr_dir)
    return faults


def _supersedes(adr: AdrFile, old_id: str, changes: Sequence[Change], adr_dir: str) -> list[Problem]:
    old = int(re.sub(r"\D", "", old_id) or 0)
    found: list[Problem] = []
    if old not in adr.names("supersedes"):
        found.append((adr.path, f"does not say that it supersedes {old_id}"))
    change = next((c for c in changes if number_of(c.path, adr_dir) == old and c.kind == "modified"), None)
    if change is None:
        return [*found, (f"{adr_dir}/{old:04}-*.md", f"{old_id} was not marked as superseded")]
    after = parse(change.path, old, change.after or "")
    if after.problem:
        return [*found, (f"{change.path}:{after.problem_line}", after.problem)]
    if after.status.casefold() != "superseded":
        found.append((change.path, f"status of {old_id} is {after.status!r}, not Superseded"))
    if adr.number not in after.names("superseded-by"):
        found.append((change.path, f"{old_id} does not say that it is superseded by {adr.id}"))
    return found


def _damage(
    made: Sequence[AdrFile], changes: Sequence[Change], adr_dir: str, expect: WriteExpectation
) -> list[Problem]:
    replaced = {n for adr in made for n in adr.names("supersedes")}
    if expect.supersedes:
        replaced.add(int(re.sub(r"\D", "", expect.supersedes) or 0))
    found: list[Problem] = []
    for change in changes:
        number = number_of(change.path, adr_dir)
        if number is None or change.kind == "added":
            continue
        if change.kind == "deleted" or change.after is None:
            found.append((change.path, f"ADR-{number:04} was deleted"))
            continue
        before, after = (parse(change.path, number, text or "") for text in (change.before, change.after))
        if after.problem and not before.problem:
            found.append((f"{change.path}:{after.problem_line}", after.problem))
        elif not keeps(before.body, after.body):
            found.append((change.path, f"text of ADR-{number:04} was changed"))
        else:
            free = {"status", "superseded-by"} if number in replaced else {"superseded-by"}
            lost = [k for k in before.meta if k not in free and after.meta.get(k) != before.meta[k]]
            found += [(change.path, f"{key} of ADR-{number:04} was changed") for key in lost]
    return found


def overlap(given: Sequence[str], wanted: Sequence[str], view: WorldView | None) -> bool:
    """Whether patterns of ``given`` and ``wanted`` have a file of the world, or a folder, in common."""
    narrow = [one.strip("/").removeprefix("./") for g in given for one in braces(g)]
    narrow = [g for g in narrow if re.search(r"\w", re.sub(r"\.\w+$", "", g))]
    paths = view.paths if view is not None else ()
    for pattern in narrow:
        for goal in (one for w in wanted for one in braces(w.strip("/"))):
            ours, theirs = glob_regex(pattern), glob_regex(goal)
            if any(ours.fullmatch(p) and theirs.fullmatch(p) for p in paths):
                return True
            if _within(_static(pattern), _static(goal)) and (theirs.fullmatch(pattern) or _wide(goal)):
                return True
            if _wide(pattern) and _within(_static(goal), _static(pattern)):
                return True
    return False


def _static(pattern: str) -> str:
    """The folders before the first wildcard, or the whole path."""
    return re.split(r"[*?\[]", pattern, maxsplit=1)[0].rstrip("/") if _wild(pattern) else pattern


def _wild(pattern: str) -> bool:
    return re.search(r"[*?\[]", pattern) is not None


def _wide(pattern: str) -> bool:
    return pattern.endswith(("/**", "/*", "/**/*")) or not _wild(pattern)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")
