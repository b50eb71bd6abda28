"""The proposal judge's answer of a past run, given again for the same message: a replay asks no judge."""

import orjson

from harness.checks.verdict import Propose
from harness.engine.proposal import NAME
from harness.judges.propose import Proposal, finding_of
from harness.model.check import Finding
from harness.repro.past import Past


def as_then(past: Past) -> Propose:
    def propose(message: str) -> Finding:
        kept = kept_proposal(past)
        if kept is None or message != past.message:
            why = "the final message is not the one that was judged, and a replay asks no judge"
            return Finding(name="axis_b", value=None, reason=why)
        return finding_of(kept)

    return propose


def kept_proposal(past: Past) -> Proposal | None:
    """What the judge said then; None where it was not asked, or did not answer."""
    try:
        data = orjson.loads((past.folder / NAME).read_bytes())
        return Proposal(**(data | {"raws": tuple(data["raws"])}))
    except (OSError, ValueError, KeyError, TypeError):
        return None
