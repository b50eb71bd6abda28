"""Measures how soon a world of 10,000 files is ready, and how soon its changes are known.

Run: python bench/world.py [files]
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from harness.world.changes import changes_since, snapshot
from harness.world.fixture import copy_fixture
from harness.world.overlay import Overlay, worth_an_overlay

ROUNDS = 5
CHANGED = (1, 10, 100, 1000)


def make_fixture(folder: Path, files: int) -> None:
    for number in range(files):
        place = folder / f"d{number // 100:03}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"f{number % 100:02}.py").write_text(f"x = {number}\n" * 20)


def best_ms(work: Callable[[int], object]) -> float:
    """Of several rounds the quickest, in milliseconds; ``work`` is given the number of its round."""
    took = []
    for number in range(ROUNDS):
        began = time.perf_counter()
        work(number)
        took.append((time.perf_counter() - began) * 1000)
    return min(took)


def make_layer(base: Path, number: int) -> Overlay:
    place = base / f"layer{number}"
    for name in ("upper", "work", "world"):
        (place / name).mkdir(parents=True)
    return Overlay(upper=place / "upper", work=place / "work")


def mounted(layer: Overlay, fixture: Path, script: str) -> None:
    """Run a script in the merged world, as a run does: mounted in a user namespace of its own."""
    world = layer.upper.parent / "world"
    mount = f"mount -t overlay overlay -o {layer.options(fixture)} {world} && cd {world} && {script}"
    subprocess.run(["unshare", "-Urm", "--", "/bin/sh", "-c", mount], check=True)


def reading(layer: Overlay, fixture: Path, count: int) -> Callable[[int], object]:
    def read(_: int) -> None:
        assert len(layer.changes(fixture)) == count

    return read


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory(prefix="w-") as name:
        base = Path(name)
        fixture = base / "fixture"
        make_fixture(fixture, files)
        cp = best_ms(lambda n: subprocess.run(["cp", "-a", fixture, base / f"cp{n}"], check=True))
        copy = best_ms(lambda n: copy_fixture(fixture, base / f"copy{n}"))
        print(f"{files} files: cp -a {cp:.0f} ms, copy {copy:.0f} ms ({copy / cp:.2f} x)")
        before = snapshot(base / "copy0")
        print(
            f"changes of a copy: {best_ms(lambda _: changes_since(base / 'copy0', before, fixture)):.0f} ms"
        )
        if not worth_an_overlay(fixture, base, always=True):
            print("no overlay works here")
            return
        bare = best_ms(lambda _: subprocess.run(["unshare", "-Urm", "--", "/bin/sh", "-c", ":"], check=True))
        ready = best_ms(lambda n: mounted(make_layer(base, n), fixture, ":"))
        print(f"overlay ready: {ready:.1f} ms, of which {bare:.1f} ms are the namespace alone")
        for count in CHANGED:
            layer = make_layer(base, 100 + count)
            mounted(layer, fixture, f"ls -d d*/* | head -n {count} | while read f; do echo new >>$f; done")
            print(f"overlay, {count} changed: known in {best_ms(reading(layer, fixture, count)):.1f} ms")


if __name__ == "__main__":
    main()
