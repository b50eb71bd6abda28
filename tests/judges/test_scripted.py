"""The comparator's stand-in goes by the text, not by the letter."""

from pathlib import Path

import pytest

from harness.errors import AuthoringError
from harness.judges.comparator import Comparator, Comparison, Question, compare
from harness.judges.neutral import Secrets
from harness.judges.scripted import load_rules, scripted_comparator
from harness.model.judge import Output


def test_the_output_with_more_patterns_is_better(tmp_path: Path) -> None:
    (tmp_path / "judge.yaml").write_text("correctness: ['line \\d+']\ncompleteness: [mend]\n")
    by = Comparator(ask=scripted_comparator(load_rules(tmp_path / "judge.yaml")), model="scripted")
    good, bad = Output(message="line 3; mend it"), Output(message="fine")
    for place, outputs in enumerate([(good, bad), (bad, good)]):
        got = compare(Question(task="t", criteria=("c",)), outputs, Secrets(), by)
        assert isinstance(got, Comparison)
        assert (got.winner, got.confidence) == (place, 0.6)


@pytest.mark.parametrize("text", ["taste: [x]\n", "quality: ['(']\n", "- x\n"])
def test_a_mistake_in_the_rules_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "judge.yaml").write_text(text)
    with pytest.raises(AuthoringError, match=r"judge.yaml:1: "):
        load_rules(tmp_path / "judge.yaml")
