"""What harness adds when many cells run at once: each figure beside the plainest way to do the same work."""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import grid_project
from grid_real import real
from measure import MIB, Cost, run

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
MEMORY = Path("/dev/shm")


def _place() -> str:
    """Where worlds and results of both sides go: into memory, where that can be had.

    On a disk, what is measured second is the slower one: ext4 does not hand out an inode again for a minute
    after its file was removed, and each new file searches past all that were.
    """
    usable = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    return os.environ.get("TMPDIR") or (str(MEMORY) if usable else tempfile.gettempdir())


ENV = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": str(ROOT),
    "HOME": os.environ.get("HOME", "/"),
    "LANG": "C.UTF-8",
    "TMPDIR": _place(),
}


def grid(project: Path, claude: Path, trials: int, *words: str) -> Cost:
    """One grid of as many cells, into a results folder of its own."""
    with tempfile.TemporaryDirectory(dir=project.parent) as results:
        (project / "g.yaml").write_text(
            f"suites: [bench]\nmodels: [scripted:ideal]\ntrials: {trials}\nseed: 1\nsandbox: tempdir\n"
        )
        argv = [
            sys.executable,
            "-m",
            "harness",
            "grid",
            "g.yaml",
            "--results",
            results,
            "--claude",
            str(claude),
        ]
        cost = run([*argv, *words], cwd=project, env=ENV)
        rows = (Path(results) / "results.tsv").read_bytes().count(b"\n") - 1
        assert rows == trials, f"{rows} rows for {trials} cells"
        return cost


def stub(root: Path, runs: int) -> None:
    """Runs of a stub that prints a long stream, over a small fixture."""
    project = grid_project.make(root)
    claude = grid_project.printing_stub(root)
    plugin, fixture = project / "fixtures/plugins/bench", project / "fixtures/world"
    argv = [sys.executable, str(HERE / "floor.py"), str(claude), str(fixture), str(plugin), str(runs), "4"]
    grid(project, claude, 20, "--jobs", "4")
    floor = run(argv, cwd=project, env=ENV)
    small = grid(project, claude, max(50, runs // 10), "--jobs", "4")
    whole = grid(project, claude, runs, "--jobs", "4")
    floor_again = run(argv, cwd=project, env=ENV)
    least = (floor.wall_s + floor_again.wall_s) / 2
    print(f"{runs} runs of a stub that prints 200 lines, 18 files, --jobs 4")
    print(f"  floor   {least:7.2f} s wall ({floor.wall_s:.2f}, {floor_again.wall_s:.2f})")
    print(f"  harness {whole.wall_s:7.2f} s wall = {whole.wall_s / least:.2f} x   (bound 1.50)")
    print(f"  cpu     {whole.cpu_s:7.2f} s, the floor {floor.cpu_s:.2f} s")
    print(
        f"  memory  {whole.peak_bytes / MIB:7.1f} MiB (bound 60), {small.peak_bytes / MIB:.1f} for a tenth of the runs"
    )


def sleepers(root: Path, cells: int) -> None:
    """A fake that sleeps, in as many lanes as there may be."""
    project = grid_project.make(root)
    claude = grid_project.sleeping_stub(root, 5)
    cost = grid(project, claude, cells, "--jobs", "64")
    ideal = -(-cells // 64) * 5
    print(f"{cells} cells of a fake that sleeps 5 s, --jobs 64")
    print(
        f"  harness {cost.wall_s:7.2f} s wall = {cost.wall_s / ideal:.3f} x the ideal {ideal} s   (bound 1.08)"
    )
    print(f"  memory  {cost.peak_bytes / MIB:7.1f} MiB")


def dask(root: Path, cells: int) -> None:
    """A fake of a few milliseconds on local Dask workers."""
    project = grid_project.make(root)
    claude = grid_project.sleeping_stub(root, 0.005)
    cost = grid(project, claude, cells, "--engine", "dask", "--workers", "4", "--jobs", "4")
    print(f"{cells} cells of a 5 ms fake on 4 local Dask workers")
    print(f"  coordinator {1000 * cost.own_cpu_s / cells:6.2f} ms CPU a cell   (bound 5)")
    print(f"  wall        {cost.wall_s:6.1f} s, memory {cost.peak_bytes / MIB:.1f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", nargs="*", default=["real", "stub", "sleepers", "dask"])
    parser.add_argument("--scale", type=float, default=1.0, help="a part of the cells, for a quick look")
    options = parser.parse_args()
    benches: dict[str, Callable[[Path], None]] = {
        "real": lambda root: real(root, max(4, int(40 * options.scale)), ENV),
        "stub": lambda root: stub(root, max(40, int(1000 * options.scale))),
        "sleepers": lambda root: sleepers(root, max(64, int(640 * options.scale))),
        "dask": lambda root: dask(root, max(100, int(10_000 * options.scale))),
    }
    print(f"worlds and results are in {ENV['TMPDIR']}")
    for name in options.which:
        with tempfile.TemporaryDirectory(prefix="bench-", dir=ENV["TMPDIR"]) as folder:
            benches[name](Path(folder))


if __name__ == "__main__":
    main()
