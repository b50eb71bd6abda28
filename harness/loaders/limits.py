"""``limits:`` of a suite, a scenario or a grid."""

from harness.loaders.yamlfile import MappingReader
from harness.model.scenario import Limits


def read_limits(reader: MappingReader | None, base: Limits) -> Limits:
    """The limits of a file over those it stands on."""
    if reader is None:
        return base
    made = Limits(
        timeout_s=reader.number("timeout_s") or base.timeout_s,
        idle_s=reader.number("idle_s") or base.idle_s,
        startup_s=reader.number("startup_s") or base.startup_s,
        grace_s=reader.number("grace_s") or base.grace_s,
        max_turns=reader.whole("max_turns") or base.max_turns,
        max_cost_usd=reader.number("max_cost_usd") or base.max_cost_usd,
    )
    reader.done()
    return made
