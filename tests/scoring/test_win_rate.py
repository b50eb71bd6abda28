"""Ties, and what was not judged, are told and never part of a win rate."""

import pytest

from harness.errors import UserError
from harness.model.row import Row
from harness.scoring.win_rate import JudgedPair, WinRate, one_arm, pairs_tsv, render_win_rate, win_rate
from tests.results.rows import a_row


def rows(trials: int, *, arm: str, digest: str = "p", made: int = 1) -> list[Row]:
    return [
        a_row(
            suite="skills:tidy",
            scenario="small",
            arm=arm,
            trial=str(n),
            plugin_digest=digest,
            run_id=f"{arm}{made}-{n}",
        )
        for n in range(1, trials + 1)
    ]


def judged(*said: str, new: int = 1) -> list[JudgedPair]:
    return [
        JudgedPair(new=f"new{new}-{n}", other=f"baseline1-{n}", for_new=one) for n, one in enumerate(said, 1)
    ]


def found(*said: str, trials: int = 0, min_valid: int = 1) -> WinRate:
    both = [*rows(trials or len(said), arm="baseline"), *rows(trials or len(said), arm="new")]
    return win_rate(both, judged(*said), min_valid=min_valid)


def test_the_rate_is_of_pairs_with_a_winner() -> None:
    made = found("win", "win", "win", "loss", "tie", "tie")
    assert (made.value, made.decided, made.ties) == (0.75, 4, 2)


def test_the_interval_is_of_pairs_with_a_winner() -> None:
    assert found("win", "loss", "tie").interval == found("win", "loss").interval


@pytest.mark.parametrize(
    ("said", "trials", "reason"),
    [
        (
            ("win", "invalid"),
            2,
            "1 pair to judge by `harness eval --skills`: small baseline haiku trial 2 (invalid)",
        ),
        (("win",), 2, "1 pair to judge by `harness eval --skills`: small baseline haiku trial 2 (unjudged)"),
        (("tie", "tie"), 2, "0 pairs with a winner where --min-valid asks for 1"),
        ((), 0, "0 pairs with a winner where --min-valid asks for 1"),
    ],
    ids=["invalid", "unjudged", "only-ties", "nothing"],
)
def test_there_is_no_number_while_a_pair_is_open_or_none_is_decided(
    said: tuple[str, ...], trials: int, reason: str
) -> None:
    made = found(*said, trials=trials)
    assert (made.value, made.exit_code, made.reason) == (None, 3, reason)
    assert [line for line in render_win_rate(made).split("\n") if line.replace(".", "").isdigit()] == []


def test_ties_do_not_reach_a_minimum() -> None:
    assert found("win", "tie", min_valid=2).reason == "1 pair with a winner where --min-valid asks for 2"


def test_a_pair_of_an_edited_skill_is_another_pair() -> None:
    both = [*rows(1, arm="baseline"), *rows(1, arm="new"), *rows(1, arm="new", digest="q", made=2)]
    before = win_rate(both, judged("win"))
    assert (before.unjudged, before.stale, before.value) == (1, 1, None)
    after = win_rate(both, [*judged("win"), *judged("loss", new=2)])
    assert (after.value, after.stale) == (0.0, 1)


def test_the_last_word_on_a_pair_counts() -> None:
    assert (
        win_rate([*rows(1, arm="baseline"), *rows(1, arm="new")], [*judged("win"), *judged("loss")]).value
        == 0.0
    )


def test_rows_of_suites_are_no_pairs() -> None:
    assert win_rate([a_row(arm="baseline"), a_row(arm="new")], []).pairs == ()


def test_another_arm_has_pairs_of_its_own() -> None:
    every = [*rows(1, arm="baseline"), *rows(1, arm="old"), *rows(1, arm="new")]
    pair = JudgedPair(new="new1-1", other="old1-1", for_new="loss")
    assert win_rate(every, [*judged("win"), pair], against="old").value == 0.0


@pytest.mark.parametrize("asked", [["new"], ["old", "baseline"]], ids=["itself", "two"])
def test_a_choice_that_makes_no_pairs_is_refused(asked: list[str]) -> None:
    with pytest.raises(UserError, match="one other arm"):
        one_arm(asked)


def test_the_last_line_is_the_number_and_everything_else_stands_above() -> None:
    first, last, end = render_win_rate(found("win", "loss", "win", "tie")).split("\n")
    assert "2 of 3 pairs with a winner; in no rate: 1 tied, 0 invalid, 0 unjudged, 95 % interval" in first
    assert (last, end) == ("0.666667", "")


def test_a_loop_reads_the_pairs() -> None:
    assert pairs_tsv(found("win")).split("\n") == [
        "# metric_direction: higher_is_better",
        "scenario\tmodel\tagainst\ttrial\tfor_new",
        "small\thaiku\tbaseline\t1\twin",
        "",
    ]
