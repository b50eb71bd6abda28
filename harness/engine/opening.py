"""Opens what all runs of an evaluation share."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from harness.claude.binary import Claude
from harness.claude.launch import is_scripted
from harness.engine.box import choose_kind
from harness.engine.memory import give_back_early
from harness.engine.setting import PUBLIC_UPSTREAM, Setting
from harness.errors import UserError
from harness.gateway.credential import Credential, LoginOnly, find_credential
from harness.gateway.exchange import Responder
from harness.gateway.server import Gateway
from harness.model.cell import Cell
from harness.redact import secrets_of
from harness.results.watch import SealedRuns
from harness.world.home import watch_home
from harness.world.removal import Rubbish
from harness.world.repository import watch_repository
from harness.world.watch import Watch


@contextmanager
def open_setting(
    cells: tuple[Cell, ...],
    *,
    claude: Claude,
    sandbox: str,
    results: Path,
    root: Path | None,
    environ: Mapping[str, str],
    keep: bool = False,
    warnings: tuple[str, ...] = (),
    credential: Credential | None = None,
) -> Iterator[Setting]:
    """Everything the runs share, with the gateway up. Raises UserError where a credential or sandbox is wanting.

    ``root``: the project to watch for changes; None where there is none, on a worker of a cluster.
    ``credential``: to be used instead of the user's own.
    """
    give_back_early()
    if credential is None and not all(is_scripted(c.model) for c in cells):
        credential = credential_for(environ)
    kind = choose_kind(sandbox)
    secrets = [credential.value] if credential is not None else []
    with _socket(kind) as socket, Gateway(socket, secrets=secrets) as gateway, _rubbish() as rubbish:
        yield Setting(
            claude=claude,
            gateway=gateway,
            results=results,
            sandbox=kind,
            watches=_watches(cells, root, results),
            credential=credential,
            forward=forward_to(credential, environ),
            keep=keep,
            warnings=warnings,
            rubbish=rubbish,
            sealed=SealedRuns(results),
            secrets=(*secrets, *secrets_of(os.environ)),
        )


@contextmanager
def _rubbish() -> Iterator[Rubbish]:
    rubbish = Rubbish()
    try:
        yield rubbish
    finally:
        rubbish.empty()


@contextmanager
def _socket(kind: str) -> Iterator[Path | None]:
    """Where the gateway listens for jails; their network is closed, so a socket is bound in."""
    if kind != "jail":
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="harness-") as folder:
        yield Path(folder) / "gateway.sock"


def _watches(cells: tuple[Cell, ...], root: Path | None, results: Path) -> tuple[Watch, ...]:
    """The repository, and what a run rests on that lies outside of it."""
    treated = {folder for c in cells for folder in (c.arm.plugin, c.arm.skill) if folder is not None}
    trees = {c.scenario.fixture for c in cells} | treated
    if root is None:
        return (Watch.of(sorted(trees)),)
    outside = sorted(t for t in trees if not t.resolve().is_relative_to(root.resolve()))
    home = watch_home(Path.home())
    return (watch_repository(root, exclude=(results, *_own_output())), Watch.of(outside), home)


def _own_output() -> Iterator[Path]:
    """The files that this process's own words go to (nohup.out, a log of the night): they grow while runs are on."""
    for number in (1, 2):
        try:
            path = Path(f"/proc/self/fd/{number}").readlink()
        except OSError:
            continue
        if path.is_file():
            yield path


def forward_to(credential: Credential | None, environ: Mapping[str, str]) -> Responder | None:
    """What answers for real models: the way to the API; None without a credential."""
    if credential is None:
        return None
    from harness.gateway.forward import Forward  # its HTTP client is dear, and scripted runs do without

    return Forward(environ.get("ANTHROPIC_UPSTREAM", PUBLIC_UPSTREAM), credential)


def credential_for(environ: Mapping[str, str]) -> Credential:
    """The user's own. Raises UserError where there is none."""
    found = find_credential(environ, Path(environ.get("HOME", "~")).expanduser())
    if isinstance(found, LoginOnly):
        raise UserError(
            f"{found.why}; or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (`claude setup-token`)"
        )
    if found is None:
        raise UserError(
            "a real model needs your credentials: set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN"
            " (from `claude setup-token`), or log in with `claude`"
        )
    return found
