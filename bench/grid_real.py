"""The real claude on a playbook, many cells at once: harness, a bare xargs loop, and the CLI's own evaluation."""

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import grid_project
from measure import MIB, Cost, run

from harness.claude.binary import find_claude
from harness.claude.launch import QUIET
from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import Gateway
from harness.loaders.suite import load_suites

LANES = 4
TURNS = 3
PLAYBOOK = """\
kind: ideal
expect: {status: completed, verdict: pass, axis_a: true, axis_b: true}
turns:
  - text: I look first.
    tools:
      - Bash: {command: "cat docs/adr/0001-money.md"}
  - tools:
      - Bash: {command: "echo 'x = 2' >> src/part0/m0.py"}
  - text: Done as ADR-0001 says.
"""
BARE = """\
#!/bin/sh
# One run without harness: a copied world, a started claude, its output to a file.
set -e
box="$BOXES/$1"
mkdir -p "$box/home"
cp -a "$FIXTURE" "$box/world"
cd "$box/world"
exec env -i PATH="$PATH" HOME="$box/home" CLAUDE_CONFIG_DIR="$box/home/.claude" $SETTINGS \
    "$CLAUDE" -p --output-format stream-json --verbose --include-hook-events --forward-subagent-text --model haiku \
    --permission-mode bypassPermissions "--plugin-dir=$PLUGIN" -- 'Add a discount to the invoice.' \
    >"$box/stream.jsonl" 2>"$box/stderr.log" </dev/null
"""


@dataclass(frozen=True, slots=True)
class _Place:
    root: Path
    project: Path
    claude: Path
    env: dict[str, str]

    @property
    def plugin(self) -> Path:
        return self.project / "fixtures/plugins/bench"


def real(root: Path, cells: int, env: dict[str, str]) -> None:
    """In turns, so that a busy moment of the machine meets all."""
    project = grid_project.make(root)
    (project / "scenarios/bench/B1/playbooks/ideal.yaml").write_text(PLAYBOOK)
    place = _Place(root, project, find_claude(None, os.environ).path, env)
    (suite,) = load_suites(project, ["bench"])
    model = ScriptedModel(suite.scenarios[0].playbooks["ideal"], {})
    with Gateway() as gateway:
        gateway.open("bench-key", model)
        _bare(place, gateway.url, LANES, 0)
        bare, ours, plain = [], [], []
        for turn in range(TURNS):
            bare.append(_bare(place, gateway.url, cells, turn + 1))
            ours.append(_harness(place, cells))
            plain.append(_harness(place, cells, "--wire", "none"))
        peer = _peer(place, gateway.url, cells)
    _tell(cells, bare, ours, plain, peer)


def _tell(cells: int, bare: list[Cost], ours: list[Cost], plain: list[Cost], peer: Cost | None) -> None:
    wall, cpu = min(c.wall_s for c in bare), min(c.cpu_s for c in bare)
    our_wall, our_cpu = min(c.wall_s for c in ours), min(c.cpu_s for c in ours)
    plain_wall, plain_cpu = min(c.wall_s for c in plain), min(c.cpu_s for c in plain)
    print(f"{cells} cells of the real claude on a playbook, {LANES} at once (the best of {TURNS} turns)")
    print(f"  xargs    {wall:7.2f} s wall {cpu:7.2f} s cpu")
    print(f"  harness  {our_wall:7.2f} s wall {our_cpu:7.2f} s cpu", end="")
    print(f" = {our_wall / wall:.3f} x wall (bound 1.05), {our_cpu / cpu:.3f} x cpu (bound 1.08)")
    print(f"  memory   {max(c.peak_bytes for c in ours) / MIB:7.1f} MiB of harness (bound 80)")
    print(f"  without recording {plain_wall:.2f} s wall {plain_cpu:.2f} s cpu, so that it adds", end="")
    print(
        f" {100 * (our_wall / plain_wall - 1):.1f} % wall (bound 5), {100 * (our_cpu / plain_cpu - 1):.1f} % cpu (bound 10)"
    )
    if peer is None:
        print("  claude plugin eval: did not run here")
    else:
        print(f"  claude plugin eval -j {LANES}: {peer.wall_s:.2f} s wall {peer.cpu_s:.2f} s cpu", end="")
        print(
            f" = {peer.wall_s / wall:.3f} x wall, {peer.cpu_s / cpu:.3f} x cpu, {peer.peak_bytes / MIB:.0f} MiB"
        )


def _settings(url: str) -> dict[str, str]:
    return {**QUIET, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "bench-key", "IS_SANDBOX": "1"}


def _bare(place: _Place, url: str, cells: int, turn: int) -> Cost:
    script = place.root / "bare.sh"
    script.write_text(BARE)
    boxes = place.root / f"boxes-{turn}"
    env = {
        **place.env,
        "BOXES": str(boxes),
        "FIXTURE": str(place.project / "fixtures/world"),
        "PLUGIN": str(place.plugin),
        "CLAUDE": str(place.claude),
        "SETTINGS": " ".join(f"{k}={v}" for k, v in _settings(url).items()),
    }
    loop = f"seq {cells} | xargs -P{LANES} -n1 sh {script}"
    cost = run(["sh", "-c", loop], cwd=place.root, env=env)
    done = sum(b'"subtype":"success"' in p.read_bytes() for p in boxes.glob("*/stream.jsonl"))
    assert done == cells, f"{done} of {cells} bare runs came to an end"
    shutil.rmtree(boxes)
    return cost


def _harness(place: _Place, cells: int, *words: str) -> Cost:
    with tempfile.TemporaryDirectory(dir=place.root) as results:
        (place.project / "g.yaml").write_text(
            f"suites: [bench]\nmodels: [scripted:ideal]\ntrials: {cells}\nseed: 1\nsandbox: tempdir\njobs: {LANES}\n"
        )
        argv = [sys.executable, "-m", "harness", "grid", "g.yaml", "--results", results]
        cost = run([*argv, "--claude", str(place.claude), *words], cwd=place.project, env=place.env)
        rows = (Path(results) / "results.tsv").read_bytes().count(b"\tpass\tbench\t")
        assert rows == cells, f"{rows} of {cells} cells passed"
        return cost


def _peer(place: _Place, url: str, cells: int) -> Cost | None:
    """The CLI's own evaluation of as many runs of the same prompt."""
    plugin = place.root / "peer" / "bench"
    shutil.copytree(place.plugin, plugin)
    case = plugin / "evals" / "discount"
    (case / "graders").mkdir(parents=True)
    (case / "prompt.md").write_text(
        f"---\nname: discount\nruns: {cells}\nallowed_tools: [Bash]\n---\nAdd a discount to the invoice.\n"
    )
    (case / "graders" / "says.md").write_text("---\ntype: regex\n---\nADR-0001\n")
    home = place.root / "peer-home"
    home.mkdir()
    env = {**place.env, **_settings(url), "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    argv = [str(place.claude), "plugin", "eval", str(plugin), "-j", str(LANES), "--ablation", "none"]
    try:
        return run([*argv, "--trust-plugin", "--allow-tools", "Bash"], cwd=place.root, env=env, codes=(0, 1))
    except SystemExit as error:
        print(str(error)[:400])
        return None
