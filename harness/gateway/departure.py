"""Where a request says something else than the recorded one that it takes the place of."""

from collections.abc import Container

from msgspec import Struct

from harness.gateway.difference import Difference, first_difference
from harness.gateway.notices import notices_of, without_notices


class Departure(Struct, frozen=True, kw_only=True):
    """Both sides of the first difference: the bodies as they were compared, paths and noise made equal."""

    difference: Difference
    old: object
    new: object


def departure(request: int, old: object, new: object) -> Departure | None:
    found = first_difference(old, new)
    if found is None:
        return None
    path, was, now = found
    difference = Difference(request=request, path=path, old=was, new=now)
    return Departure(difference=difference, old=old, new=new)


def told_elsewhere(old: object, new: object, known: Container[str]) -> bool:
    """Whether the end of a background task is told at another place than then, in the words of then."""
    there, here = notices_of(old), notices_of(new)
    return there != here and all(notice.text in known for notice in here)


def but_for_notices(request: int, old: object, new: object) -> Departure | None:
    return departure(request, without_notices(old), without_notices(new))
