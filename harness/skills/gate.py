"""The hard assertions of a case, each run by itself against what an arm left behind.

Every line gets its own throw-away copy of the world and of the final message, jailed or not, so that no line
can change what a later one or a judge sees, and a verdict does not depend on the sandbox.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import orjson
from msgspec import Struct, structs

from harness.loaders.case.shell import commands, shell, syntax_error
from harness.model.case import Assertion
from harness.model.outcome import Verdict

KEPT_BYTES = 64 * 1024
_LOOK_UP = 'for name do command -v "$name" >/dev/null || printf "%s\\n" "$name"; done'

Wrap = Callable[[Sequence[str], Path], Sequence[str]]
"""argv and the folder that it must be able to use -> argv inside a jail."""


class PredicateResult(Struct, frozen=True, kw_only=True):
    line: int
    text: str
    outcome: Literal["pass", "fail", "error"]
    """error: the author's mistake, which says nothing about the arm."""
    exit_code: int | None
    """As the shell would say it; None where it was not run or had to be ended."""
    stdout: str
    stderr: str
    duration_s: float
    reason: str = ""


class GateResult(Struct, frozen=True, kw_only=True):
    results: tuple[PredicateResult, ...]
    no_evidence: str = ""
    """Why nothing may be concluded, or ''."""

    @property
    def authoring_errors(self) -> tuple[PredicateResult, ...]:
        return tuple(r for r in self.results if r.outcome == "error")

    @property
    def verdict(self) -> Verdict:
        """PASS only when every line exited zero; a gate without lines has nothing against the arm."""
        if self.no_evidence or self.authoring_errors:
            return Verdict.INVALID
        return Verdict.PASS if all(r.outcome == "pass" for r in self.results) else Verdict.FAIL

    @property
    def reason(self) -> str:
        if self.no_evidence:
            return self.no_evidence
        bad = self.authoring_errors or tuple(r for r in self.results if r.outcome == "fail")
        return "; ".join(f"line {r.line}: {r.reason}" for r in bad)


def gate_json(gate: GateResult) -> bytes:
    """``gate.json`` of a run folder."""
    return orjson.dumps(gate, default=structs.asdict, option=orjson.OPT_INDENT_2)


def read_gate(path: Path) -> GateResult:
    """Raises OSError or ValueError where there is no whole one."""
    data = orjson.loads(path.read_bytes())
    try:
        results = tuple(PredicateResult(**item) for item in data["results"])
        return GateResult(results=results, no_evidence=data["no_evidence"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not as harness wrote it: {error}") from None


class _Finished(Struct, frozen=True):
    exit_code: int | None
    stdout: str
    stderr: str
    duration_s: float


def _end(process: subprocess.Popen[bytes]) -> None:
    """The line's whole process group; a child that went on in the background must not outlive its line."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _kept(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(KEPT_BYTES + 1)
    return head[:KEPT_BYTES].decode(errors="replace") + ("\n[cut]" if len(head) > KEPT_BYTES else "")


def _run(argv: Sequence[str], cwd: Path, env: Mapping[str, str], room: Path, timeout_s: float) -> _Finished:
    """Output goes to files: a pipe held open by a stray child would make us wait for it."""
    out, err = room / "stdout", room / "stderr"
    started = time.monotonic()
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
            process.wait()
    return _Finished(code, _kept(out), _kept(err), time.monotonic() - started)


def _environment(room: Path, world: Path, output: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(room),
        "TMPDIR": str(room),
        "LC_ALL": "C.UTF-8",
        "WORLD": str(world),
        "OUTPUT": str(output),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def _judge(done: _Finished, timeout_s: float) -> tuple[Literal["pass", "fail", "error"], str]:
    code = done.exit_code
    if code is None:
        return "fail", f"still running after {timeout_s:g} s"
    if code == 0:
        return "pass", ""
    if code in (126, 127):
        why = "could not be run" if code == 126 else "names a command that is not there"
        return "error", f"{why} (exit {code}): {done.stderr.strip()[:200]}"
    return "fail", f"exit {code}" if code > 0 else f"ended by signal {-code}"


def _predicate(
    assertion: Assertion,
    world: Path,
    output: Path,
    room: Path,
    wrap: Wrap | None,
    timeout_s: float,
    missing: Sequence[str],
) -> PredicateResult:
    def result(outcome: Literal["pass", "fail", "error"], done: _Finished, reason: str) -> PredicateResult:
        return PredicateResult(
            line=assertion.line,
            text=assertion.text,
            outcome=outcome,
            exit_code=done.exit_code,
            stdout=done.stdout,
            stderr=done.stderr,
            duration_s=done.duration_s,
            reason=reason,
        )

    broken = syntax_error(assertion.text)
    if broken:
        return result("error", _Finished(None, "", "", 0.0), broken)
    if missing:
        reason = f"names a command that is not there: {', '.join(missing)}"
        return result("error", _Finished(127, "", "", 0.0), reason)
    copy, message = room / "world", room / "output.md"
    shutil.copytree(world, copy, symlinks=True)
    shutil.copyfile(output, message)
    done = _inside([shell(), "-c", assertion.text], room, wrap, timeout_s)
    outcome, reason = _judge(done, timeout_s)
    return result(outcome, done, reason)


def _inside(argv: Sequence[str], room: Path, wrap: Wrap | None, timeout_s: float) -> _Finished:
    world, output = room / "world", room / "output.md"
    made = wrap(argv, room) if wrap is not None else argv
    return _run(made, world, _environment(room, world, output), room, timeout_s)


def missing_commands(
    assertions: Sequence[Assertion], *, wrap: Wrap | None = None, timeout_s: float = 30.0
) -> Mapping[int, tuple[str, ...]]:
    """By line the commands that a predicate names and that are not there where it would run.

    `! missing-tool …` exits 0, so exit codes alone would let a missing tool pass.
    """
    named = {a.line: commands(a.text) for a in assertions}
    every = tuple(dict.fromkeys(name for names in named.values() for name in names))
    if not every:
        return {}
    with tempfile.TemporaryDirectory(prefix="gate-", ignore_cleanup_errors=True) as folder:
        room = Path(folder).resolve()
        (room / "world").mkdir()
        done = _inside([shell(), "-c", _LOOK_UP, "sh", *every], room, wrap, timeout_s)
    gone = set(done.stdout.split())
    return {line: lost for line, names in named.items() if (lost := tuple(n for n in names if n in gone))}


def _no_evidence(assertions: Sequence[Assertion], output: Path) -> str:
    if not output.is_file():
        return "no final message was captured, so nothing can be concluded from it"
    speaks = any("OUTPUT" in a.text for a in assertions)
    if speaks and not output.read_bytes().strip():
        return "the final message is empty, so nothing can be concluded from it"
    return ""


def run_gate(
    assertions: Sequence[Assertion],
    world: Path,
    output_file: Path,
    *,
    wrap: Wrap | None = None,
    timeout_s: float = 30.0,
) -> GateResult:
    """Run every line, whatever came of those before it; ``world`` and ``output_file`` stay as they are."""
    if not assertions:
        return GateResult(results=())
    why = _no_evidence(assertions, output_file)
    if why:
        return GateResult(results=(), no_evidence=why)
    missing = missing_commands(assertions, wrap=wrap, timeout_s=timeout_s)
    results = []
    for assertion in assertions:
        with tempfile.TemporaryDirectory(prefix="gate-", ignore_cleanup_errors=True) as folder:
            room = Path(folder).resolve()
            results.append(
                _predicate(
                    assertion, world, output_file, room, wrap, timeout_s, missing.get(assertion.line, ())
                )
            )
    return GateResult(results=tuple(results))
