"""One line of ``results.tsv``: the columns in order, and nothing about files."""

from dataclasses import dataclass

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
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
