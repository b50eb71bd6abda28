"""Only green to red is a regression; what cannot be told is not taken for good."""

import pytest

from harness.model.row import Row
from harness.scoring.guard import guard, render_guard
from tests.results.rows import a_row


def rows(verdicts: str, **cells: str) -> list[Row]:
    words = {"p": "pass", "f": "fail", "i": "invalid"}
    return [a_row(trial=str(n), pass_=words[letter], **cells) for n, letter in enumerate(verdicts, start=1)]


@pytest.mark.parametrize(
    ("before", "now", "exit_code"),
    [
        ("ppp", "ppp", 0),
        ("ppp", "fff", 1),
        ("p", "f", 1),
        ("ppp", "pfp", 0),
        ("pfp", "fff", 3),
        ("fff", "fff", 3),
        ("ppp", "iii", 3),
        ("ppp", "", 3),
        ("ppp", "ffi", 1),
        ("ppi", "ppp", 0),
        ("iii", "ppp", 3),
        ("", "ppp", 3),
    ],
    ids=[
        "same", "lost", "lost-single", "flaky-now", "flaky-before", "red-before", "invalid-now", "gone", "lost-and-invalid",
        "invalid-before", "unknown-before", "no-baseline",
    ],
)  # fmt: skip
def test_what_counts_as_a_regression(before: str, now: str, exit_code: int) -> None:
    assert guard(rows(before), rows(now)).exit_code == exit_code


def test_each_scenario_is_guarded_by_itself() -> None:
    before = [*rows("pp", scenario="R1"), *rows("pp", scenario="R2")]
    now = [*rows("pp", scenario="R1"), *rows("ff", scenario="R2")]
    assert [change.key.scenario for change in guard(before, now).regressions] == ["R2"]


def test_a_gain_elsewhere_does_not_make_up_for_a_loss() -> None:
    before = [*rows("ff", scenario="R1"), *rows("pp", scenario="R2")]
    now = [*rows("pp", scenario="R1"), *rows("ff", scenario="R2")]
    assert guard(before, now).exit_code == 1


def test_the_text_names_what_was_lost_and_what_became_flaky() -> None:
    before = [*rows("pp", scenario="R1"), *rows("pp", scenario="R2"), *rows("pp", scenario="R3")]
    now = [*rows("ff", scenario="R1"), *rows("pf", scenario="R2"), *rows("pp", scenario="R3")]
    assert render_guard(guard(before, now)).split("\n") == [
        "regression: os-adr/R1 new haiku: passed 2 of 2 before, 0 of 2 now",
        "flaky now: os-adr/R2 new haiku: passed 2 of 2 before, 1 of 2 now",
        "1 regression in 3 green scenarios",
        "",
    ]
