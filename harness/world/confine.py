"""A jail for one small command of an author: the system read-only, one folder to work in, no network."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.world.jail import jail_prefix, namespaces, system_mounts
from harness.world.kernel import kernel_offers

Wrap = Callable[[Sequence[str], Path], Sequence[str]]
"""argv and the folder that it must be able to use, seen at the same place -> argv inside."""


@contextmanager
def open_confinement() -> Iterator[Wrap | None]:
    """Wraps commands for as long as it is open; None where no jail works here."""
    offer = kernel_offers()
    if offer.bwrap is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="harness-etc-") as made:
        mounts = [*namespaces(offer, network=False), *system_mounts(Path(made) / "etc", network=False)]

        def wrap(argv: Sequence[str], room: Path) -> Sequence[str]:
            place = str(room)
            arguments = [*mounts, "--tmpfs", "/tmp", "--bind", place, place, "--remount-ro", "/"]
            return (*jail_prefix(offer, [*arguments, "--chdir", os.fspath(room / "world")], "", room), *argv)

        yield wrap
