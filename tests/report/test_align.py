"""Two runs aligned by turn."""

from pathlib import Path

from harness.report.align import Alignment, align
from harness.report.diffpage import diff_page, diff_text
from harness.report.kept import read_kept
from tests.report.runs import Event, add_run, answer, assistant, call, result, said
from tests.results.rows import a_row


def run(*bodies: str, world: str = "/w", output: str = "ok") -> list[Event]:
    events: list[Event] = []
    for n, body in enumerate(bodies):
        events.append(
            assistant(call("Bash", {"command": body.replace("/w", world)}, id=f"t{n}"), message=f"m{n}")
        )
        events.append(answer(output, id=f"t{n}"))
    return [*events, assistant(said("Done."), message="last"), result()]


def aligned(tmp_path: Path, left: list[Event], right: list[Event]) -> Alignment:
    add_run(tmp_path, a_row(run_id="l"), left)
    add_run(tmp_path, a_row(run_id="r"), right, world="/other")
    return align(read_kept(tmp_path, "l"), read_kept(tmp_path, "r"))


def test_runs_in_other_worlds_are_the_same(tmp_path: Path) -> None:
    found = aligned(tmp_path, run("cat /w/a"), run("cat /w/a", world="/other"))
    assert (found.first, [p.difference for p in found.pairs], found.setting) == (None, ["", ""], ())


def test_the_first_divergence_is_the_first_other_deed(tmp_path: Path) -> None:
    found = aligned(tmp_path, run("ls", "cat a"), run("ls", "rm a"))
    assert (found.first, [p.difference for p in found.pairs]) == (1, ["", "other", ""])


def test_an_extra_turn_stands_alone(tmp_path: Path) -> None:
    found = aligned(tmp_path, run("ls", "cat a"), run("cat a"))
    assert found.first == 0 and found.pairs[0].right is None
    assert [p.difference for p in found.pairs] == ["other", "", ""]


def test_other_answers_of_tools_are_told_but_are_no_divergence(tmp_path: Path) -> None:
    found = aligned(tmp_path, run("ls"), run("ls", output="other"))
    assert (found.first, found.pairs[0].difference) == (None, "results")


def test_both_forms_mark_where_runs_part(tmp_path: Path) -> None:
    found = aligned(tmp_path, run("ls", "cat a"), run("ls", "<b>rm</b> a"))
    left, right = read_kept(tmp_path, "l"), read_kept(tmp_path, "r")
    lines = diff_text(left, right, found).split("\n")
    assert lines[lines.index("---- here they part ----") + 1].startswith("A   2 Bash: cat a")
    html = diff_page(left, right, found, tmp_path)
    assert 'id="first"' in html and "<b>rm" not in html
