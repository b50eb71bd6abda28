"""Where one run takes place: its world, its home and its environment, made fresh and removed afterwards."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from msgspec import Struct

from harness.errors import UserError
from harness.model.change import Change
from harness.world.changes import Snapshot, changes_since, snapshot
from harness.world.environment import furnish_home, sandbox_environment
from harness.world.fixture import copy_fixture
from harness.world.overlay import Overlay
from harness.world.removal import remove_tree
from harness.world.strays import PREFIX, mark_owned, remove_strays

Kind = Literal["tempdir", "jail"]
Discard = Callable[[Path], None]
"""Has a folder removed, now or soon."""

_LOADED_FROM_ABOVE = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude", ".mcp.json", ".git")
"""claude looks for these in every folder above the one it works in, whatever its home is."""


class Sandbox(Struct, frozen=True, kw_only=True):
    """A prepared place for one run. Paths are this side's; ``seen_as`` tells the run's own."""

    kind: Kind
    root: Path
    """Everything that belongs to the run is under it; nothing else is."""
    fixture: Path
    world: Path
    """With an overlay it is empty on this side, until ``settle``."""
    home: Path
    config_dir: Path
    tmp: Path
    env: Mapping[str, str]
    """The whole environment to start with; a caller adds what claude needs beyond."""
    cwd: Path
    """Where to start the wrapped command."""
    prefix: tuple[str, ...] = ()
    mapped: tuple[tuple[Path, str], ...] = ()
    """Paths that the run sees elsewhere, inner ones first."""
    before: Snapshot | None = None
    overlay: Overlay | None = None
    network: bool = True
    """Whether the run can connect anywhere."""
    read_only: tuple[Path, ...] = ()
    """What the suite had added to the jail."""

    def wrap(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        """The command that runs ``argv`` (with paths as the run sees them) inside."""
        return (*self.prefix, *argv)

    def seen_as(self, path: Path) -> str:
        """A path of this side as the run sees it; unchanged where the sandbox does not move it."""
        for outside, inside in self.mapped:
            if path == outside:
                return inside
            if path.is_relative_to(outside):
                return f"{inside}/{path.relative_to(outside).as_posix()}"
        return str(path)

    @property
    def world_seen_as(self) -> str:
        return self.seen_as(self.world)

    @property
    def home_seen_as(self) -> str:
        return self.seen_as(self.home)

    def changes(self) -> tuple[Change, ...]:
        """What the run left different in its world; time grows with the changes, and one lstat a path."""
        if self.overlay is not None:
            return self.overlay.changes(self.fixture)
        assert self.before is not None
        return changes_since(self.world, self.before, self.fixture)

    def settle(self) -> Path:
        """The world as the run left it, as a plain folder of this side. Costs a copy with an overlay."""
        if self.overlay is not None and not any(self.world.iterdir()):
            self.world.rmdir()
            copy_fixture(self.fixture, self.world)
            self.overlay.apply(self.world)
        return self.world


@contextmanager
def open_tempdir(
    fixture: Path,
    *,
    token: str,
    keep: bool = False,
    environ: Mapping[str, str] = os.environ,
    discard: Discard = remove_tree,
) -> Iterator[Sandbox]:
    """A sandbox of plain folders: what it keeps apart are the paths, not the machine.

    A run in it can still read and write whatever its user can, connect anywhere and see other processes. The
    harness looks afterwards whether it did (``Watch``) and ends what it left behind.
    """
    with fresh_root(token, environ, None if keep else discard) as root:
        home, config_dir, tmp = root / "home", root / "home/.claude", root / "tmp"
        furnish_home(home, config_dir)
        tmp.mkdir(mode=0o700)
        world = root / "world"
        copy_fixture(fixture, world)
        env = sandbox_environment(
            environ, home=str(home), config_dir=str(config_dir), tmp=str(tmp), ceiling=str(root)
        )
        if os.geteuid() == 0:
            # Else claude refuses root the mode that asks for no permissions.
            env["IS_SANDBOX"] = "1"
        yield Sandbox(
            kind="tempdir",
            root=root,
            fixture=fixture,
            world=world,
            home=home,
            config_dir=config_dir,
            tmp=tmp,
            env=env,
            cwd=world,
            prefix=_dying_with_us(),
            before=snapshot(world),
        )


def _dying_with_us() -> tuple[str, ...]:
    """Without it a claude goes on spending when the harness is killed; TERM lets it end its own children."""
    setpriv = shutil.which("setpriv", path="/usr/bin:/bin")
    return (setpriv, "--pdeathsig", "TERM", "--") if setpriv else ()


@contextmanager
def fresh_root(token: str, environ: Mapping[str, str], discard: Discard | None) -> Iterator[Path]:
    """A new folder that nothing is loaded from above, discarded at the end; kept with None."""
    # The run sees this path: nothing in it may tell what is being tested.
    base = clean_base(environ)
    remove_strays(base)
    root = base / f"{PREFIX}{token[:12]}-{secrets.token_hex(4)}"
    root.mkdir(mode=0o700)
    try:
        if discard is not None:
            mark_owned(root)
        yield root
    finally:
        if discard is not None:
            discard(root)


def clean_base(environ: Mapping[str, str]) -> Path:
    """The first usable folder for temporary files with nothing above it that claude would load."""
    refused: list[str] = []
    for name in dict.fromkeys((environ.get("TMPDIR") or "/tmp", "/tmp", "/var/tmp", "/dev/shm")):
        base = Path(name).resolve()
        if not base.is_dir() or not os.access(base, os.W_OK | os.X_OK):
            refused.append(f"{name} cannot be written")
        elif os.statvfs(base).f_flag & os.ST_NOEXEC:
            refused.append(f"{name} is mounted noexec")
        elif (found := _loaded_from(base)) is not None:
            refused.append(f"{found} would be loaded into {name}")
        else:
            return base
    raise UserError(
        f"No folder is fit for a sandbox: {'; '.join(refused)}."
        "\nSet TMPDIR to a folder outside of any project."
    )


def _loaded_from(base: Path) -> Path | None:
    for folder in (base, *base.parents):
        for name in _LOADED_FROM_ABOVE:
            if os.path.lexists(folder / name):
                return folder / name
    return None
