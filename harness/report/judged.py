"""One comparison for people and for programs."""

from collections.abc import Mapping

from harness.judges.comparator import Comparison, NoComparison
from harness.skills.outcome import comparison_fields


def judged_text(found: Comparison | NoComparison, winner: str | None, letters: Mapping[str, str]) -> str:
    if isinstance(found, NoComparison):
        return f"no verdict: {found.reason}"
    better = f"{winner} is better" if winner is not None else "a tie"
    named = ", ".join(f"{letter} is {name}" for letter, name in letters.items())
    return f"{better} (confidence {found.confidence:.2f})\n{named}\n{found.reasoning}"


def judged_fields(
    found: Comparison | NoComparison, winner: str | None, letters: Mapping[str, str]
) -> dict[str, object]:
    if isinstance(found, NoComparison):
        return {"invalid": found.reason, "cost_usd": found.cost_usd}
    return {
        "comparison": comparison_fields(found),
        "winner": winner,
        "letters": dict(letters),
        "inconsistent": found.inconsistent,
        "cost_usd": found.cost_usd,
    }
