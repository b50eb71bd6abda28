"""Tables of any size, as a year of nights leaves them."""

from collections.abc import Iterator

from harness.model.row import Row
from tests.results.rows import a_row

REASONS = (
    "consulted by cli, read; names ADR-0007 and no distractor",
    "did not consult; the files show work against it",
)


def many_rows(count: int) -> list[Row]:
    return list(_rows(count))


def _rows(count: int) -> Iterator[Row]:
    """Nights of 20 scenarios by two arms and three models; some cells waver, a few are invalid."""
    for n in range(count):
        night, rest = divmod(n, 120)
        scenario, rest = divmod(rest, 6)
        arm, model = ("baseline", "new")[rest % 2], ("haiku", "sonnet", "opus")[rest // 2]
        verdict = (
            "invalid" if n % 37 == 0 else "pass" if (arm == "new" or scenario % 3 == 0) and n % 7 else "fail"
        )
        day = f"2026{night // 28 % 12 + 1:02}{night % 28 + 1:02}"
        yield a_row(
            scenario=f"S{scenario + 1}", arm=arm, model=model, trial=str(night % 5 + 1), pass_=verdict,
            status="api_error" if verdict == "invalid" else "completed", reason=REASONS[verdict != "pass"] + f" ({n % 50})",
            run_id=f"{day}T030000Z-os-adr-S{scenario + 1}-{arm}-{model}-t1-{n:06x}",
            started_at=f"{day[:4]}-{day[4:6]}-{day[6:]}T03:00:00.000Z", cost_usd=f"{0.01 * (rest + 1):.6f}",
        )  # fmt: skip
