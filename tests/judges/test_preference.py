"""The precedence that turns five dimensions into one verdict."""

import itertools

import pytest

from harness.judges.preference import DIMENSIONS, Finding, contradicts, derive, findings_of

FULL = {"c": "correctness", "m": "completeness", "p": "process", "q": "quality", "e": "efficiency"}


def findings(text: str) -> dict[str, Finding]:
    """``cA! mB? eA~``: correctness A clear, completeness B slight, efficiency A trivial; the rest equal."""
    made = dict.fromkeys(DIMENSIONS, Finding("EQUAL", "none"))
    for word in text.split():
        side = "A" if word[1] == "A" else "B"
        degree = {"!": "clear", "?": "slight", "~": "trivial"}[word[2]]
        made[FULL[word[0]]] = Finding(side, degree)  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(
    ("text", "preferred", "confidence"),
    [
        pytest.param("", "TIE", 0.95, id="all-equal"),
        pytest.param("cA~ qB~", "TIE", 0.7, id="trivial-only"),
        pytest.param("qA?", "TIE", 0.6, id="single-slight"),
        pytest.param("cA?", "TIE", 0.6, id="single-slight-correctness"),
        pytest.param("cA!", "A", 0.5, id="clear-correctness-alone"),
        pytest.param("qB!", "B", 0.5, id="clear-single"),
        pytest.param("cA! mA!", "A", 0.6, id="key-dimensions-only"),
        pytest.param("qA? eA?", "A", 0.6, id="two-slight-rest-equal"),
        pytest.param("mB! qB! eB!", "B", 0.7, id="three-of-five"),
        pytest.param("cA! mA! pA! qA!", "A", 0.85, id="four-of-five"),
        pytest.param("cA! mA! pA! qA! eA!", "A", 0.95, id="all-five"),
        pytest.param("mA! qB!", "TIE", 0.4, id="balanced"),
        pytest.param("cA! qB!", "A", 0.5, id="balanced-but-for-correctness"),
        pytest.param("cA! qB! eB!", "A", 0.5, id="correctness-against-the-count"),
        pytest.param("cA? qB! eB!", "B", 0.5, id="slight-correctness-is-counted-only"),
        pytest.param("mA! pA! qA! eB!", "A", 0.6, id="correctness-equal-rest-decides"),
        pytest.param("cA! qB~ eB~", "A", 0.5, id="trivial-is-not-counted"),
    ],
)
def test_the_first_rule_that_applies_decides(text: str, preferred: str, confidence: float) -> None:
    got = derive(findings(text))
    assert (got.preferred, got.confidence) == (preferred, confidence)


def test_letters_mean_nothing() -> None:
    """Mirroring every finding mirrors the verdict, over a grid of all sides and degrees of three dimensions."""
    sides = [f"{s}{d}" for s in "AB" for d in "!?~"]
    for trio in itertools.product(sides, repeat=3):
        text = " ".join(f"{n}{x}" for n, x in zip("cmq", trio, strict=True))
        one, other = derive(findings(text)), derive(findings(text.translate(str.maketrans("AB", "BA"))))
        assert one.preferred == {"A": "B", "B": "A", "TIE": "TIE"}[other.preferred]
        assert one.confidence == other.confidence
        assert 0 <= one.confidence <= 1


def reply(better: str, degree: str) -> dict[str, object]:
    return {"dimensions": {n: {"better": better, "degree": degree, "basis": "x"} for n in DIMENSIONS}}


@pytest.mark.parametrize(("better", "degree"), [("A", "none"), ("EQUAL", "clear")])
def test_a_reply_that_says_two_things_is_told(better: str, degree: str) -> None:
    assert "contradicts itself" in contradicts(reply(better, degree))


def test_a_reply_is_read_into_findings() -> None:
    assert contradicts(reply("A", "slight")) == ""
    assert findings_of(reply("A", "slight")) == dict.fromkeys(DIMENSIONS, Finding("A", "slight"))
