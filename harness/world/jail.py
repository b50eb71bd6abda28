"""A place for one run from which nothing else of the machine can be seen, reached or outlived.

Made of user, pid, ipc, uts and network namespaces by bubblewrap. The run sees the system read-only, its world
at /world, its home at /home/eval, claude and the plugins read-only at fixed paths, and no network: claude
reaches the gateway through a unix socket, which it does by itself when ANTHROPIC_UNIX_SOCKET names one.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.claude.descendants import TOKEN_VARIABLE
from harness.errors import UserError
from harness.world.changes import snapshot
from harness.world.environment import furnish_home, sandbox_environment
from harness.world.fixture import copy_fixture
from harness.world.kernel import Offer, kernel_offers
from harness.world.overlay import Overlay, worth_an_overlay
from harness.world.removal import remove_tree
from harness.world.sandbox import Discard, Sandbox, fresh_root

WORLD, HOME, TMP = "/world", "/home/eval", "/tmp"
CLAUDE, PLUGINS, SOCKET = "/opt/claude/claude", "/opt/plugins", "/run/gateway.sock"

PROCESS_LIMIT = 1024
"""Processes and threads of one run; claude itself has about forty."""
FILE_LIMIT_BYTES = 2 << 30
SHARED_MEMORY_BYTES = 256 << 20

_SYSTEM = ("/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")
_ETC = (
    "alternatives",
    "ca-certificates",
    "debian_version",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "os-release",
    "pki",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)
_CLOSED_PROC = tuple(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "acpi", "fs", "mtrr", "scsi"))
"""Settings of the whole machine. Their owner may write them without any privilege, and a run that root
started has that owner's number, whatever it is called in the jail."""
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_OWN_ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\neval:x:1000:1000:eval:/home/eval:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    "group": "root:x:0:\neval:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost eval\n::1 localhost eval\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}

_PREPARE = (
    'if [ "$1" ]; then echo "$1" >/proc/sys/kernel/pid_max || exit 70; fi;'
    ' if [ "$2" ]; then mount -t overlay overlay -o "$2" "$3" || exit 70; fi; shift 3; exec "$@"'
)
# The first process inside is a shell, which reaps orphans. bwrap would do so too, but its command line shows
# paths of this machine, and it throws away what the kernel counted of CPU time and memory.
_FIRST = ("--as-pid-1", "--", "/bin/sh", "-c", '"$@"; exit $?', "sh")


@contextmanager
def open_jail(
    fixture: Path,
    *,
    token: str,
    claude: Path,
    plugins: Sequence[Path] = (),
    gateway: Path | None = None,
    read_only: Sequence[Path] = (),
    network: bool = False,
    keep: bool = False,
    overlay: bool | None = None,
    environ: Mapping[str, str] = os.environ,
    discard: Discard = remove_tree,
) -> Iterator[Sandbox]:
    """A jail for one run. ``gateway`` is the unix socket that it listens on.

    ``read_only``: paths of the machine to be seen at the same place, a toolchain for instance. ``network``:
    open it. ``overlay`` None: for a large fixture, where the kernel offers it. UserError where no jail works.
    """
    offer = kernel_offers()
    if offer.bwrap is None:
        raise UserError(f"There can be no jail here: {offer.why}\nUse --sandbox tempdir.")
    fixture, claude = fixture.resolve(), claude.resolve()
    for path in read_only:
        _check_read_only(path, fixture)
    with fresh_root(token, environ, None if keep else discard) as root:
        home, config_dir, tmp, world = root / "home", root / "home/.claude", root / "tmp", root / "world"
        furnish_home(home, config_dir)
        tmp.mkdir(mode=0o700)
        layer = _make_world(fixture, world, overlay)
        argued = _claude_arguments(claude)
        places = _plugin_places(plugins)
        arguments = [
            *namespaces(offer, network),
            *system_mounts(root / "etc", network),
            *_bind("--bind", {tmp: TMP}),
            *_bind("--ro-bind", {path: str(path) for path in read_only}),
            *argued[1],
            *_bind("--ro-bind", places),
            *(_bind("--ro-bind", {gateway: SOCKET}) if gateway else ()),
            *_bind("--bind", {home: HOME, world: WORLD}),
            *("--remount-ro", "/", "--chdir", WORLD),
        ]
        yield Sandbox(
            kind="jail",
            root=root,
            fixture=fixture,
            world=world,
            home=home,
            config_dir=config_dir,
            tmp=tmp,
            env=_environment(environ, gateway is not None, read_only),
            cwd=root,
            prefix=jail_prefix(offer, arguments, layer.options(fixture) if layer else "", world),
            mapped=((world, WORLD), (home, HOME), (tmp, TMP), (claude, argued[0]), *places.items()),
            before=None if layer else snapshot(world),
            overlay=layer,
            network=network,
            read_only=tuple(read_only),
        )


def _make_world(fixture: Path, world: Path, wanted: bool | None) -> Overlay | None:
    base = world.parent
    if wanted is not False and worth_an_overlay(fixture, base.parent, always=bool(wanted)):
        for folder in (world, base / "upper", base / "work"):
            folder.mkdir()
        (base / "upper").chmod(fixture.stat().st_mode & 0o7777)
        return Overlay(upper=base / "upper", work=base / "work")
    copy_fixture(fixture, world)
    return None


def namespaces(offer: Offer, network: bool) -> list[str]:
    return [
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *(() if network else ("--unshare-net",)),
        *(("--disable-userns",) if offer.disable_userns else ()),
        # The mark by which descendants are known is not needed in here, and would differ from run to run.
        *("--unsetenv", TOKEN_VARIABLE),
        *("--die-with-parent", "--uid", "1000", "--gid", "1000", "--hostname", "eval"),
    ]


def system_mounts(etc: Path, network: bool) -> list[str]:
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            arguments += ["--ro-bind", name, name]
    etc.mkdir()
    for name, text in _OWN_ETC.items():
        (etc / name).write_text(text)
        arguments += ["--ro-bind", str(etc / name), f"/etc/{name}"]
    for name in (*_ETC, *(("resolv.conf",) if network else ())):
        arguments += ["--ro-bind-try", os.path.realpath(f"/etc/{name}"), f"/etc/{name}"]
    return [
        *arguments,
        *("--proc", "/proc", *(word for name in _CLOSED_PROC for word in ("--ro-bind-try", name, name))),
        *("--dev", "/dev", "--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"),
        *("--remount-ro", "/dev", "--dir", "/run", "--dir", "/var", "--symlink", "../tmp", "/var/tmp"),
    ]


def _bind(option: str, places: Mapping[Path, str]) -> list[str]:
    return [word for outside, inside in places.items() for word in (option, str(outside), inside)]


def _claude_arguments(claude: Path) -> tuple[str, list[str]]:
    """Where the run finds claude, and what makes it stand there."""
    with claude.open("rb") as file:
        script = file.read(2) == b"#!"
    if not script:
        return CLAUDE, ["--ro-bind", str(claude), CLAUDE]
    # A launcher needs the package around it, at the place that it was installed to.
    package = next((p.parent for p in reversed(claude.parents) if p.name == "node_modules"), claude.parent)
    return str(claude), ["--ro-bind", str(package), str(package)]


def _plugin_places(plugins: Sequence[Path]) -> dict[Path, str]:
    places: dict[Path, str] = {}
    for path in plugins:
        name = path.name
        while f"{PLUGINS}/{name}" in places.values():
            name += "-"
        places[path] = f"{PLUGINS}/{name}"
    return places


def _environment(environ: Mapping[str, str], gateway: bool, read_only: Sequence[Path]) -> dict[str, str]:
    env = sandbox_environment(environ, home=HOME, config_dir=f"{HOME}/.claude", tmp=TMP, ceiling="/")
    own = environ.get("PATH", "").split(":")
    added = [p for p in own if p and any(Path(p).is_relative_to(r) for r in read_only)]
    env["PATH"] = ":".join([*added, _SYSTEM_PATH])
    if gateway:
        env["ANTHROPIC_UNIX_SOCKET"] = SOCKET
    return env


def jail_prefix(offer: Offer, arguments: Sequence[str], overlay: str, world: Path) -> tuple[str, ...]:
    assert offer.bwrap is not None
    jail = (offer.bwrap, *arguments, *_FIRST, *_limits(offer))
    # The kernel counts no processes against root: a pid namespace of its own is what bounds them.
    bounded = os.geteuid() == 0 and offer.pid_max
    if not overlay and not bounded:
        return jail
    return (
        *("setpriv", "--pdeathsig", "KILL", "--", "unshare", "-Urm"),
        *(("-pf", "--kill-child", "--mount-proc") if bounded else ()),
        *("--", "/bin/sh", "-c", _PREPARE, "sh"),
        *(str(PROCESS_LIMIT) if bounded else "", overlay, str(world)),
        *jail,
    )


def _limits(offer: Offer) -> tuple[str, ...]:
    if offer.prlimit is None:
        return ()
    return (offer.prlimit, f"--nproc={PROCESS_LIMIT}", f"--fsize={FILE_LIMIT_BYTES}", "--core=0", "--")


def _check_read_only(path: Path, fixture: Path) -> None:
    if not path.is_absolute() or not path.exists():
        raise UserError(f"The jail cannot show {path}: it must be an absolute path that exists.")
    if path == Path("/") or fixture.is_relative_to(path.resolve()):
        raise UserError(
            f"The jail cannot show {path}: the expected answers are in it. Name a folder further in."
        )
