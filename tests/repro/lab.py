"""A project whose runs take two or three turns, run and had again within the test's own process."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.engine.session import Options, run_grid
from harness.model.grid import Grid
from harness.repro.again import reproduce
from harness.repro.outcome import Reproduced, Request
from harness.results.row_codec import read_rows
from tests.engine.conftest import FILES, clean_env, write

HEAD = "kind: x\nexpect: {verdict: pass, axis_a: true, axis_b: true}\nturns:\n"
PLAYBOOKS = {
    "parallel": (
        "  - tools: [{Bash: {command: 'cat docs/adr/0001-money.md'}}, {Bash: {command: 'ls -l src'}}]\n"
        "  - tools: [{Write: {file_path: '{{world}}/src/new.py', content: 'from decimal import Decimal'}}]\n"
        "  - text: Done as ADR-0001 says.\n"
    ),
    "subagent": (
        "  - tools: [{Agent: {description: look, prompt: Find the decision, subagent_type: general-purpose,"
        " run_in_background: false}}]\n  - text: Done as ADR-0001 says.\n"
        "subagents:\n  - match: Find the decision\n    turns:\n"
        "      - tools: [{Bash: {command: 'cat docs/adr/*.md'}}]\n      - text: It is ADR-0001.\n"
    ),
    "retried": (
        "  - error: {status: 529, type: overloaded_error, message: Overloaded, times: 1}\n"
        "  - tools: [{Bash: {command: 'cat docs/adr/0001-money.md; git init -q . && git add . && git commit -qm x'}}]\n"
        "  - text: Done as ADR-0001 says.\n"
    ),
    "background": (
        "  - tools: [{Agent: {description: look, prompt: Find the decision, subagent_type: general-purpose}}]\n"
        "  - tools: [{Bash: {command: 'cat docs/adr/*; until [ -e read ]; do sleep 0.1; done; sleep 1.5'}}]\n"
        "  - text: Done as ADR-0001 says.\n  - text: Done as ADR-0001 says.\n"
        "subagents:\n  - match: Find the decision\n    turns:\n"
        "      - tools: [{Bash: {command: 'cat docs/adr/*.md; touch read'}}]\n      - text: It is ADR-0001.\n"
    ),
    "race": (
        "  - tools: [{Agent: {description: look, prompt: Find the decision, subagent_type: general-purpose}}"
        ", {Agent: {description: count, prompt: Count the files, subagent_type: general-purpose}}]\n"
        "  - {delay_s: 0.1, tools: [{Bash: {command: 'cat docs/adr/*'}}]}\n  - tools: [{Bash: {command: ls}}]\n"
        + "  - text: Done as ADR-0001 says.\n"
        * 3
        + "subagents:\n  - match: Find the decision\n    turns:\n"
        "      - tools: [{Bash: {command: 'cat docs/adr/*.md'}}]\n      - text: It is ADR-0001.\n"
        "  - match: Count the files\n    turns:\n"
        "      - tools: [{Bash: {command: 'ls src'}}]\n      - {delay_s: 0.3, text: One.}\n"
    ),
    "command": (
        "  - tools: [{Bash: {command: 'sleep 0.5; echo ready', run_in_background: true}}]\n"
        + "  - {delay_s: 0.3, tools: [{Bash: {command: 'cat docs/adr/*'}}]}\n" * 3
        + "  - text: Done as ADR-0001 says.\n" * 2
    ),
    "random": (
        "  - tools: [{Bash: {command: 'cat docs/adr/*.md; head -c 8 /dev/urandom | od -x'}}]\n"
        "  - text: Done as ADR-0001 says.\n"
    ),
    "short": "  - tools: [{Bash: {command: ls}}]\n",
}
MORE = {f"scenarios/demo/R1/playbooks/{name}.yaml": HEAD + text for name, text in PLAYBOOKS.items()}
NAMES = ("ideal", "silent", "parallel", "subagent", "retried")


@dataclass(frozen=True, slots=True)
class Lab:
    root: Path
    """The project."""
    home: Path

    @classmethod
    def make(cls, place: Path) -> "Lab":
        write(place / "project", {**FILES, **MORE})
        (place / "home").mkdir()
        return cls(place / "project", place / "home")

    @property
    def results(self) -> Path:
        return self.root / "results"

    @property
    def environ(self) -> dict[str, str]:
        named = {k: os.environ[k] for k in ("HARNESS_CLAUDE",) if k in os.environ}
        return clean_env(self.home) | named

    def run(
        self,
        *models: str,
        sandbox: str = "auto",
        trials: int = 1,
        jobs: int = 2,
        env: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """The ids of the runs of models (or of playbooks, by name), in their order."""
        names = tuple(m if m == "haiku" else f"scripted:{m}" for m in models)
        before = {r.run_id for r in read_rows(self.results / "results.tsv").rows}
        grid = Grid(
            suites=("demo",), models=names, trials=trials, jobs=jobs, sandbox=sandbox, mixed=False, retries=0
        )
        options = Options(results=self.results, fresh=True, json=True)
        run_grid(grid, options, root=self.root, environ=self.environ | dict(env or {}))
        rows = [r for r in read_rows(self.results / "results.tsv").rows if r.run_id not in before]
        return tuple(r.run_id for r in sorted(rows, key=lambda r: (names.index(r.model), int(r.trial))))

    def again(
        self,
        target: str,
        *,
        live: bool = False,
        strict: bool = False,
        keep: bool = False,
        upto: int | None = None,
        plugin: Path | None = None,
        sandbox: str | None = None,
        trust: bool = False,
        root: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Reproduced:
        request = Request(
            target=target,
            results=self.results,
            live=live,
            strict=strict,
            keep=keep,
            upto=upto,
            plugin=plugin,
            sandbox=sandbox,
            trust=trust,
        )
        return reproduce(request, root=root or self.root, environ=self.environ | dict(env or {}))

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.root / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
