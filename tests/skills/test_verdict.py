"""The pass rule and what follows from it."""

import pytest

from harness.judges.seal import Pairing
from harness.model.event import Usage
from harness.model.outcome import Verdict
from harness.skills.verdict import PassRule, Trial, cost_footnote, decide, decide_skill

WORD: dict[str, Pairing] = {"w": "win", "l": "loss", "t": "tie", "x": "invalid"}
GATE = {"g": Verdict.PASS, "r": Verdict.FAIL, "x": Verdict.INVALID}


def trials(gate: str, base: str, old: str = "") -> list[Trial]:
    """A letter a trial: g(reen) r(ed) x; w(in) l(oss) t(ie) x."""
    return [
        Trial(
            number=n + 1,
            gate=GATE[g],
            vs_baseline=WORD[base[n]],
            vs_old=WORD[old[n]] if old else None,
        )
        for n, g in enumerate(gate)
    ]


@pytest.mark.parametrize(
    ("gate", "base", "old", "verdict"),
    [
        pytest.param("ggg", "wwt", "", Verdict.PASS, id="better"),
        pytest.param("ggg", "wlw", "ttt", Verdict.PASS, id="more-wins-than-losses"),
        pytest.param("ggg", "www", "wlt", Verdict.PASS, id="no-net-loss-to-old"),
        pytest.param("ggg", "ttt", "", Verdict.FAIL, id="no-better-than-no-skill"),
        pytest.param("ggg", "wlt", "", Verdict.FAIL, id="as-many-wins-as-losses"),
        pytest.param("ggg", "www", "llw", Verdict.FAIL, id="net-loss-to-old"),
        pytest.param("ggr", "www", "", Verdict.FAIL, id="one-red-gate"),
        pytest.param("r", "w", "", Verdict.FAIL, id="a-red-gate-fails-outright-however-few"),
        pytest.param("gg", "ww", "", Verdict.INVALID, id="too-few-trials"),
        pytest.param("ggx", "www", "", Verdict.INVALID, id="too-few-valid-trials"),
        pytest.param("gggx", "wwwx", "", Verdict.PASS, id="an-invalid-trial-is-left-out"),
        pytest.param("ggg", "wwx", "", Verdict.INVALID, id="too-few-pairs"),
        pytest.param("ggg", "www", "wxx", Verdict.INVALID, id="too-few-pairs-with-old"),
        pytest.param("xxx", "xxx", "", Verdict.INVALID, id="nothing-valid"),
        pytest.param("", "", "", Verdict.INVALID, id="no-trials"),
    ],
)
def test_the_rule_decides(gate: str, base: str, old: str, verdict: Verdict) -> None:
    assert decide(trials(gate, base, old), PassRule()).verdict == verdict


@pytest.mark.parametrize(
    ("cases", "recommendation"),
    [
        pytest.param([("ggg", "www")], "SHIP", id="all-pass"),
        pytest.param([("ggg", "www"), ("ggg", "ttt")], "ITERATE", id="one-no-better"),
        pytest.param([("gggr", "wwww")], "ITERATE", id="gate-red-now-and-then"),
        pytest.param([("grr", "www")], "REWRITE", id="gate-mostly-red"),
        pytest.param([("ggg", "www"), ("ggg", "llw")], "REWRITE", id="worse-than-no-skill"),
        pytest.param([("ggg", "www"), ("g", "w")], "NOT EVALUATED", id="too-little"),
        pytest.param([], "NOT EVALUATED", id="no-cases"),
    ],
)
def test_the_recommendation_follows_from_severity(cases: list[tuple[str, str]], recommendation: str) -> None:
    made = {str(n): decide(trials(*c), PassRule()) for n, c in enumerate(cases)}
    assert decide_skill(made).recommendation == recommendation


def test_cost_is_a_footnote_with_its_components() -> None:
    cheap = Usage(input_tokens=100, output_tokens=10, cost_usd=0.001)
    dear = Usage(
        input_tokens=300, output_tokens=10, cache_read_tokens=100, cache_write_tokens=8, cost_usd=0.003
    )
    lines = cost_footnote({"baseline": [cheap], "old": [], "new": [cheap, dear]})
    assert [(c.arm, c.runs, c.equivalent_tokens) for c in lines] == [("baseline", 1, 150), ("new", 2, 260)]
    assert "$0.0020 a run" in str(lines[1])
