"""A share of a plan for one of several machines, the same on every machine and for every later plan."""

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from harness.errors import UserError
from harness.model.cell import CellKey

C = TypeVar("C")


class Shard(NamedTuple):
    number: int
    """From 1."""
    of: int

    def has(self, key: CellKey) -> bool:
        # Not hash(): it differs from process to process.
        digest = hashlib.blake2b(
            "\0".join(map(str, key)).encode(errors="surrogatepass"), digest_size=8
        ).digest()
        return int.from_bytes(digest, "big") % self.of == self.number - 1

    def part(self, cells: Iterable[C], key_of: Callable[[C], CellKey]) -> list[C]:
        """The cells of this shard, in the order given."""
        return [cell for cell in cells if self.has(key_of(cell))]


def parse_shard(text: str) -> Shard:
    """``2/4`` is the second of four. Raises UserError for anything else."""
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UserError(f"there is no shard {text!r}; give i/n with i from 1 to n, such as 1/4")
    return Shard(int(found[1]), int(found[2]))
