"""A row to start from, for tests that care about a few of its cells."""

from msgspec.structs import replace

from harness.model.row import Row

_PLAIN = Row(
    scenario="R1", model="haiku", axis_a="true", axis_b="true", pass_="pass", suite="os-adr", arm="new", trial="1",
    status="completed", reason="relied on ADR-0007", run_id="20261130T171320Z-os-adr-R1-new-haiku-t1-a1b2c3",
    started_at="2026-11-30T17:13:20.123Z", duration_s="12.500", turns="4", cost_usd="0.012300", input_tokens="1200",
    output_tokens="300", cache_read_tokens="9000", cache_write_tokens="800", model_id="claude-haiku-4-5", cli_version="2.1.332",
    sandbox="bwrap", wire="gateway", scenario_digest="s1", plugin_digest="p1", harness_version="0.1.0", cell_digest="c1",
    attempt="1", api_kind="scripted",
)  # fmt: skip


def a_row(**cells: str) -> Row:
    return replace(_PLAIN, **cells)
