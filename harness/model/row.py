"""One line of ``results.tsv``: the columns in order, and nothing about files."""

from msgspec import Struct

SCHEMA_VERSION = 2


class Row(Struct, frozen=True, kw_only=True):
    """All values are text as they stand in the file; the column order is the field order."""

    scenario: str
    model: str
    axis_a: str
    axis_b: str
    pass_: str
    suite: str
    arm: str
    trial: str
    status: str
    reason: str
    run_id: str
    started_at: str
    duration_s: str
    turns: str
    cost_usd: str
    input_tokens: str
    output_tokens: str
    cache_read_tokens: str
    cache_write_tokens: str
    model_id: str
    cli_version: str
    sandbox: str
    wire: str
    scenario_digest: str
    plugin_digest: str
    harness_version: str
    cell_digest: str = ""
    """Everything that makes the cell this cell; a row with the same digest answers the same question."""
    attempt: str = ""
    """1 for the first try of the cell; an invalid cell is tried again."""
    seed: str = ""
    """The seed that ordered the grid; empty outside a grid."""
    api_kind: str = ""
    """How the API failed: rate_limit, overload, auth, credit, refused, stalled, other; else empty."""
    warnings: str = ""
