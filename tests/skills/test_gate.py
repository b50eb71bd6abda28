"""The gate: each line by itself, nothing masked, nothing changed."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.model.case import Assertion
from harness.model.outcome import Verdict
from harness.skills.gate import GateResult, run_gate


@pytest.fixture
def world(tmp_path: Path) -> Path:
    made = tmp_path / "a world"
    made.mkdir()
    (made / "review.md").write_text("a bug in line 3\n")
    (tmp_path / "output.md").write_text("I found a bug.\n")
    return made


def gate(world: Path, *lines: str, timeout_s: float = 10.0) -> GateResult:
    assertions = [Assertion(text=t, line=n) for n, t in enumerate(lines, 1)]
    return run_gate(assertions, world, world.parent / "output.md", timeout_s=timeout_s)


def test_the_gate_passes_when_every_line_exits_zero(world: Path) -> None:
    assert gate(world, 'test -f "$WORLD/review.md"', 'grep -qE bug "$OUTPUT"').verdict == Verdict.PASS


@pytest.mark.parametrize("lines", [("test -f no", "test -d ."), ("test -d .", "test -f no"), ("test -f no",)])
def test_a_failure_is_never_masked_by_another_line(world: Path, lines: tuple[str, ...]) -> None:
    got = gate(world, *lines)
    assert (got.verdict, len(got.results)) == (Verdict.FAIL, len(lines))


def test_each_line_has_a_shell_of_its_own(world: Path) -> None:
    got = gate(world, "cd / && X=1", 'test -f review.md && test -z "$X"')
    assert got.verdict == Verdict.PASS


def test_world_and_output_are_absolute_and_cwd_is_the_world(world: Path) -> None:
    line = 'case "$WORLD$OUTPUT" in /*/*) test "$(pwd -P)" = "$WORLD";; *) false;; esac'
    assert gate(world, line, 'case "$OUTPUT" in /*) ;; *) false;; esac').verdict == Verdict.PASS


def test_exit_codes_and_outputs_are_recorded(world: Path) -> None:
    first, second = gate(world, "echo out; echo err >&2; exit 3", "echo two").results
    assert (first.exit_code, first.stdout, first.stderr, first.outcome) == (3, "out\n", "err\n", "fail")
    assert (second.exit_code, second.stdout) == (0, "two\n")


def test_a_line_cannot_change_what_others_see(world: Path) -> None:
    before = {p.name: p.read_bytes() for p in world.iterdir()}
    got = gate(world, 'rm -r ./* && echo x > "$OUTPUT"', "test -f review.md", 'grep -q bug "$OUTPUT"')
    assert got.verdict == Verdict.PASS
    assert {p.name: p.read_bytes() for p in world.iterdir()} == before
    assert (world.parent / "output.md").read_text() == "I found a bug.\n"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("no-such-tool x", id="127"),
        pytest.param("! no-such-tool x", id="127-negated"),
        pytest.param("! no-such-tool x 2>/dev/null", id="127-hidden"),
        pytest.param("no-such-tool | grep -q x", id="127-in-a-pipe"),
        pytest.param("./review.md", id="126"),
        pytest.param("./none", id="127-by-path"),
        pytest.param("if true", id="syntax"),
        pytest.param("exit 127", id="exit-127"),
    ],
)
def test_an_authoring_error_is_never_a_pass_and_never_the_arms_failure(world: Path, line: str) -> None:
    got = gate(world, "test -f no", line)
    assert got.verdict == Verdict.INVALID
    assert [r.line for r in got.authoring_errors] == [2]
    assert got.results[0].outcome == "fail"


def test_a_line_that_hangs_is_ended_and_the_next_one_runs(world: Path) -> None:
    started = time.monotonic()
    got = gate(world, "sleep 30", "test -d .", timeout_s=0.5)
    assert [r.outcome for r in got.results] == ["fail", "pass"]
    assert got.results[0].exit_code is None
    assert time.monotonic() - started < 10


def test_a_child_in_the_background_does_not_hold_the_line(world: Path) -> None:
    started = time.monotonic()
    assert gate(world, "sleep 30 & test -d .").verdict == Verdict.PASS
    assert time.monotonic() - started < 10


def test_secrets_of_the_caller_do_not_reach_a_line(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    assert gate(world, 'test -z "$ANTHROPIC_API_KEY"').verdict == Verdict.PASS


def test_long_output_is_cut(world: Path) -> None:
    got = gate(world, "head -c 300000 /dev/zero | tr '\\0' x")
    assert got.results[0].stdout.endswith("[cut]")


def test_nm11_nothing_captured_is_no_evidence(world: Path) -> None:
    (world.parent / "output.md").unlink()
    assert gate(world, '! grep -q secret "$OUTPUT"').verdict == Verdict.INVALID


def test_nm11_an_empty_message_is_no_evidence_for_lines_about_it(world: Path) -> None:
    (world.parent / "output.md").write_text(" \n")
    assert gate(world, '! grep -q secret "$OUTPUT"').verdict == Verdict.INVALID
    assert gate(world, "test -f review.md").verdict == Verdict.PASS


def test_no_assertions_have_nothing_against_the_arm(world: Path) -> None:
    assert gate(world).verdict == Verdict.PASS


def test_a_jail_can_be_put_around_every_line(world: Path) -> None:
    seen: list[Path] = []

    def wrap(argv: Sequence[str], room: Path) -> Sequence[str]:
        seen.append(room)
        return ["env", "JAILED=1", *argv]

    lines = [Assertion(text='test "$JAILED" = 1', line=1)]
    assert run_gate(lines, world, world.parent / "output.md", wrap=wrap).verdict == Verdict.PASS
    assert seen
    assert not seen[0].exists()
