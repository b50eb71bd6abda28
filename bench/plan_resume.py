"""How long and how much memory it takes to plan 100,000 cells against a table of 100,000 rows. Promise: 3 s and 300 MB."""

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from harness.model.row import Row
from harness.plan.resume import read_outcomes, sift
from harness.results.row_codec import HEADER, encode

SIZE = 100_000


class Planned(NamedTuple):
    digest: str


def digest(n: int) -> str:
    return f"{n:064x}"


def write_table(path: Path) -> None:
    cells = dict.fromkeys(Row.__struct_fields__, "a value of common length")
    cells |= {"axis_a": "true", "axis_b": "true", "reason": "relied on ADR-0007; " * 5}
    with path.open("wb") as file:
        file.write(HEADER)
        for n in range(SIZE):
            verdict = "invalid" if n % 10 == 0 else "pass"
            cells |= {"run_id": f"20261130T171320Z-os-adr-R1-new-haiku-t{n}", "cell_digest": digest(n)}
            file.write(encode(Row(**{**cells, "pass_": verdict, "status": "completed"})))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.tsv"
        write_table(path)
        cells = [Planned(digest(n)) for n in range(SIZE // 2, SIZE + SIZE // 2)]
        before = time.perf_counter()
        sifted = sift(cells, read_outcomes(path))
        took_s = time.perf_counter() - before
        size_mb = path.stat().st_size / 1e6
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(
        f"plan {SIZE} cells against {SIZE} rows ({size_mb:.0f} MB): {took_s:.2f} s, peak {peak_mb:.0f} MB; "
        f"{len(sifted.finished)} finished, {len(sifted.todo)} to run\n"
    )
    if took_s > 3 or peak_mb > 300:
        sys.exit("over the promise of 3 s and 300 MB")


if __name__ == "__main__":
    main()
