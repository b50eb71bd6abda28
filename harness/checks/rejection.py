"""Words that say of a decision that it does not govern: superseded, replaced, no longer, instead of."""

import re

from harness.checks.citations import id_regex

_DEAD = (
    r"(?:supersed(?:ed|ing)|rejected|replaced|overruled|overturned|deprecated|obsolete|outdated|withdrawn|retired|"
    r"no\s+longer|not\s+(?:apply|applicable|govern|relevant|about|in\s+force)|does\s*n[o']t\s+(?:apply|govern)|"
    r"n't\s+apply|abandoned|revoked|historical)"
)
_KILLS = r"(?:supersed(?:es|ed|ing)|replac(?:es|ed|ing)|overrul(?:es|ed)|overturn(?:s|ed)|obsolet(?:es|ed))"
_ASIDE = (
    r"(?:instead\s+of|rather\s+than|\bnot|unlike|ignor(?:e|ed|ing)|in\s+place\s+of|as\s+opposed\s+to|over)"
)
_WORDS = r"\s+(?:[\w'’*`(-]+\s+){0,4}?[*`(\[]*"


def rejects(sentence: str, adr: str, right: str) -> bool:
    """Whether ``sentence`` says that ``adr`` does not govern; ``right`` is the decision that does.

    The direction counts: "ADR-0007 supersedes ADR-0003" rejects 0003, "ADR-0007 is superseded by ADR-0003"
    does not.
    """
    marked = id_regex(right).sub(" RIGHT ", id_regex(adr).sub(" WRONG ", sentence))
    if re.search(rf"\bRIGHT\b[^.;]*?{_DEAD}\s+by\b[^.;]*?\bWRONG\b", marked, re.IGNORECASE):
        return False
    if re.search(rf"\bWRONG\b\s+(?:now\s+)?{_KILLS}\s+(?:\w+\s+){{0,3}}RIGHT\b", marked, re.IGNORECASE):
        return False
    after = rf"\bWRONG\b(?:(?!\bRIGHT\b)[^.;])*?{_DEAD}"
    before = rf"{_DEAD}(?!\s+by\b){_WORDS}WRONG\b"
    killed = rf"{_KILLS}{_WORDS}WRONG\b"
    aside = rf"{_ASIDE}(?:{_WORDS}|\s+)WRONG\b"
    return any(re.search(p, marked, re.IGNORECASE) for p in (after, before, killed, aside))
