"""A project with everything around it that an agent must not reach, and one run of all attempts in it."""

import hashlib
import json
import os
import socket
import subprocess
import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from harness.claude.transcript import read_transcript
from harness.world.kernel import kernel_offers
from tests.engine.conftest import FILES, Done, clean_env, run_harness, write
from tests.escape.attempts import ABSTRACT, ATTEMPTS, DEEP, PTRACE, TIOCSTI, UNIX, WAITS

PLAIN = "find-me-if-you-can"
"""In the user's environment under a name that nobody takes for a secret, so that nothing hides it."""
needs_jail = pytest.mark.skipif(kernel_offers().bwrap is None, reason=f"no jail here: {kernel_offers().why}")


@dataclass(slots=True)
class Ears:
    """Listeners of this machine at which nothing may arrive."""

    heard: list[str] = field(default_factory=list)
    port: int = 0
    path: str = ""
    name: str = ""

    def listen(self, folder: Path) -> list[socket.socket]:
        tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        tcp.bind(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", self.port))
        self.path, self.name = str(folder / "ear.sock"), f"ear-{uuid.uuid4().hex}"
        unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        unix.bind(self.path)
        abstract.bind(f"\0{self.name}")
        for kind, ear in (("tcp", tcp), ("unix", unix), ("abstract", abstract)):
            ear.listen()
            threading.Thread(target=self._accept, args=(kind, ear), daemon=True).start()
        threading.Thread(target=self._receive, args=(udp,), daemon=True).start()
        return [tcp, udp, unix, abstract]

    def _accept(self, kind: str, ear: socket.socket) -> None:
        while True:
            try:
                connection, _ = ear.accept()
            except OSError:
                return
            self.heard.append(kind)
            connection.close()

    def _receive(self, ear: socket.socket) -> None:
        while True:
            try:
                ear.recvfrom(100)
            except OSError:
                return
            self.heard.append("udp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The machine as far as the tests have made it."""

    base: Path
    project: Path
    home: Path
    outside: Path
    ears: Ears
    decoy: "subprocess.Popen[bytes]"

    def harness(self, *words: str) -> Done:
        planted = {"PLANTED_PLAIN": PLAIN, "USERS_TOKEN": f"{PLAIN}-Token1"}
        return run_harness(self.project, {**clean_env(self.home), **planted}, *words)

    def places(self, other: str = "") -> dict[str, str]:
        return {
            "project": str(self.project),
            "home": str(self.home),
            "outside": str(self.outside),
            "other": other,
            "port": str(self.ears.port),
            "decoy": str(self.decoy.pid),
            "waits": WAITS,
            "ptrace": PTRACE.format(pid=self.decoy.pid),
            "tiocsti": TIOCSTI,
            "deep": DEEP,
            "abstract": ABSTRACT.format(name=self.ears.name),
            "unix": UNIX.format(path=self.ears.path),
        }

    def play(self, name: str, commands: Mapping[str, str], kind: str = "x") -> None:
        """A playbook with one command a turn."""
        told = {"status": "completed", "verdict": "fail", "axis_a": False, "axis_b": False}
        turns: list[dict[str, object]] = [
            {"tools": [{"Bash": {"command": f"( {command} ) 2>&1; echo tried {what}", "timeout": 20000}}]}
            for what, command in commands.items()
        ]
        book = {"kind": kind, "expect": told, "turns": [*turns, {"text": "Done."}]}
        write(self.project, {f"scenarios/demo/R1/playbooks/{name}.yaml": json.dumps(book)})

    def runs(self) -> list[Path]:
        return sorted((self.project / "results/runs").iterdir())

    def fingerprint(self) -> dict[str, str]:
        """Everything but what the harness itself adds to: its results."""
        found = {}
        for path in sorted(self.base.rglob("*")):
            if path.is_relative_to(self.project / "results") or path.is_socket():
                continue
            about = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = f"{about.st_mode:o} {hashlib.sha256(content).hexdigest()}"
        return found


def daemons() -> list[int]:
    return [p.pid for p in psutil.process_iter(["cmdline"]) if WAITS in (p.info["cmdline"] or [])]


def outputs(folder: Path) -> dict[str, str]:
    """By attempt what the agent was told, from the stream in the run's folder."""
    found = {}
    for call in read_transcript(folder / "stream.jsonl").calls:
        command = str(call.input.get("command", ""))
        if call.result is not None and " echo tried " in command:
            found[command.rpartition("echo tried ")[2]] = call.result.text
    return found


def make_ground(base: Path) -> Iterator[Ground]:
    project, home, outside = base / "project", base / "home", base / "outside"
    write(project, FILES)
    suite = project / "scenarios/demo/suite.yaml"
    suite.write_text(suite.read_text().replace("limits: {", "limits: {max_turns: 200, max_cost_usd: 9, "))
    write(base, {"home/.bashrc": "# of the user\n", "outside/canary": "untouched\n"})
    git = ["git", "-C", str(project), "-c", "user.name=u", "-c", "user.email=u@example.com"]
    write(project, {".gitignore": "results/\n"})
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *words], check=True, env={"PATH": os.environ["PATH"], "HOME": str(home)})
    ears = Ears()
    listening = ears.listen(base)
    decoy = subprocess.Popen(["sleep", "600"])
    try:
        yield Ground(base=base, project=project, home=home, outside=outside, ears=ears, decoy=decoy)
    finally:
        decoy.kill()
        decoy.wait()
        for ear in listening:
            ear.close()


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    yield from make_ground(tmp_path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One run in which everything was tried."""

    ground: Ground
    done: Done
    before: dict[str, str]
    after: dict[str, str]
    folder: Path
    told: dict[str, str]
    alive: list[int]


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    base = tmp_path_factory.mktemp("escape")
    for ground in make_ground(base):
        first = ground.harness("eval", "demo", "--sandbox", "jail", "--no-lint")
        assert first.code == 0, first.err
        (other,) = ground.runs()
        places = ground.places(str(other))
        ground.play("hostile", {a.name: a.command.format(**places) for a in ATTEMPTS})
        before = ground.fingerprint()
        done = ground.harness(
            "eval", "demo", "--model", "scripted:hostile", "--sandbox", "jail", "--retries", "0", "--no-lint"
        )
        alive = daemons()
        folder = next(f for f in ground.runs() if f != other)
        yield Tried(
            ground=ground,
            done=done,
            before=before,
            after=ground.fingerprint(),
            folder=folder,
            told=outputs(folder),
            alive=alive,
        )
