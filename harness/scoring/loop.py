"""The rows as an optimising loop of the autoresearch family reads them: ``<name>-results.tsv``."""

from collections.abc import Iterable

from harness.model.row import Row
from harness.results.row_codec import clean
from harness.scoring.current import current

DIRECTION = "# metric_direction: higher_is_better"
COLUMNS = ("scenario", "model", "axis_a", "axis_b", "pass")


def loop_tsv(rows: Iterable[Row]) -> str:
    """The direction, the header, and a line for each row that counts."""
    cells = [(row.scenario, row.model, row.axis_a, row.axis_b, row.pass_) for row in current(rows).rows]
    lines = [DIRECTION, *("\t".join(map(clean, line)) for line in (COLUMNS, *cells))]
    return "\n".join(lines) + "\n"
