"""Sides are compared on the same scenarios and trials, and a difference is claimed only where luck is ruled out."""

import pytest

from harness.errors import UserError
from harness.model.row import Row
from harness.scoring.compare import PassK, compare
from harness.scoring.compare_text import render_comparison
from tests.results.rows import a_row

WORDS = {"p": "pass", "f": "fail", "i": "invalid"}


def side(verdicts: str, arm: str = "new", **cells: str) -> list[Row]:
    """One row a letter, seven scenarios to a trial."""
    return [
        a_row(scenario=f"R{n % 7}", trial=str(n // 7 + 1), arm=arm, pass_=WORDS[letter], **cells)
        for n, letter in enumerate(verdicts)
    ]


def test_pairs_are_sorted_by_who_passed() -> None:
    found = compare(side("ppff", "old"), side("pfpf"))
    assert (found.both, found.only_a, found.only_b, found.neither) == (1, 1, 1, 1)


def test_the_side_that_passes_more_often_is_named() -> None:
    found = compare(side("f" * 14, "old"), side("p" * 14))
    assert (found.verdict, found.difference, found.p) == ("b-better", 1.0, 2 / 2**14)


def test_the_worse_side_can_be_the_second() -> None:
    assert compare(side("p" * 14, "old"), side("f" * 14)).verdict == "a-better"


def test_five_wins_of_five_are_not_enough_and_one_more_pair_would_tell() -> None:
    found = compare(side("fffff", "old"), side("ppppp"))
    assert (found.verdict, found.needed_pairs, found.needed_trials) == ("not-enough-data", 1, 1)


def test_an_invalid_row_leaves_its_pair_out_and_is_shown() -> None:
    found = compare(side("ppp", "old"), side("pip"))
    assert (found.pairs, found.b.invalid, found.unpaired) == (2, 1, 2)


def test_invalid_rows_are_in_no_rate() -> None:
    assert compare(side("ppii", "old"), side("pppp")).a.rate == 1.0


def test_a_side_without_a_valid_row_has_no_rate() -> None:
    found = compare(side("ii", "old"), side("pp"))
    assert (found.a.rate, found.a.interval, found.difference, found.p) == (None, None, None, None)


def test_rows_of_one_arm_in_two_files_are_paired_by_model() -> None:
    rows = [*side("pf", model="haiku"), *side("ff", model="opus")]
    assert compare(rows, rows).pairs == 4


def test_two_models_are_paired_with_each_other() -> None:
    assert compare(side("pf", model="haiku"), side("pp", model="opus")).pairs == 2


def test_two_arms_against_one_are_refused() -> None:
    with pytest.raises(
        UserError, match="A has two rows for os-adr/R0 trial 1: baseline haiku and old haiku; choose one"
    ):
        compare([*side("p", "baseline"), *side("p", "old")], side("p"))


def test_pass_at_k_and_pass_hat_k_are_means_over_scenarios() -> None:
    rows = [a_row(scenario="R1", trial=t, pass_="pass") for t in "12"]
    rows += [a_row(scenario="R2", trial="1", pass_="pass"), a_row(scenario="R2", trial="2", pass_="fail")]
    assert compare(rows, rows).a.pass_k == (PassK(k=1, at=0.75, hat=0.75), PassK(k=2, at=1.0, hat=0.5))


def test_tokens_and_dollars_are_means_of_valid_runs() -> None:
    cells = {
        "input_tokens": "100",
        "output_tokens": "10",
        "cache_read_tokens": "1000",
        "cache_write_tokens": "40",
    }
    found = compare(side("pi", **cells, cost_usd="0.02"), side("pp"))
    assert (found.a.tokens, found.a.cost_usd) == (300.0, 0.02)


def test_swapping_the_sides_swaps_the_answer() -> None:
    a, b = side("ppfffpf", "old"), side("fpppfpf")
    one, two = compare(a, b), compare(b, a)
    assert (one.only_a, one.only_b, one.p) == (two.only_b, two.only_a, two.p)


@pytest.mark.parametrize(
    ("a", "b", "last"),
    [
        ("f" * 14, "p" * 14, "B passes more often than A"),
        (
            "fffff",
            "ppppp",
            "not enough data to tell: about 1 more pair would, that is 1 more trial of each of 5 scenarios",
        ),
        ("pf", "fp", "not enough data to tell: the pairs differ in neither direction"),
        ("ii", "pp", "not enough data to tell: no pair is valid on both sides"),
    ],
    ids=["told", "one-short", "even", "no-pair"],
)
def test_the_last_line_says_what_can_be_said(a: str, b: str, last: str) -> None:
    assert render_comparison(compare(side(a, "old"), side(b))).split("\n")[-2].startswith(last)


def test_the_text_shows_rates_intervals_and_invalid() -> None:
    text = render_comparison(compare(side("ppfi", "old"), side("pppp"), name_a="old", name_b="new"))
    assert text.startswith("old: pass rate 0.667 (95 %: 0.208 to 0.939), 2 of 3 valid, 1 invalid; ")
