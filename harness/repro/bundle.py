"""One run as one file that has it again on another machine: packed whole, and without secrets."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
from msgspec import Struct

from harness import __version__
from harness.engine.input_store import Missing
from harness.engine.inputs import keep_inputs, kept_files
from harness.engine.run_cell import WIRE
from harness.errors import UserError
from harness.gateway.credential import Credential, find_credential
from harness.redact import Redactor, secrets_of
from harness.repro.cell import make_cell
from harness.repro.opening import LABEL, MOST_BYTES, VERSION, plain_wire
from harness.repro.outcome import Request
from harness.repro.past import Past
from harness.results.archive import is_archive, pack, unpack
from harness.results.folder import INPUTS

SUFFIX = ".bundle.tar.zst"


class Bundled(Struct, frozen=True, kw_only=True):
    path: Path
    size_bytes: int


def make_bundle(past: Past, out: Path, *, root: Path, environ: Mapping[str, str]) -> Bundled:
    """Pack the run with everything that it was made of. Raises UserError where a secret is in it, naming the file."""
    with TemporaryDirectory(prefix="harness-bundle-") as place:
        scratch = Path(place)
        inputs = _inputs(past, root, scratch)
        files = [(f"runs/{past.run_id}/{p.name}", p) for p in sorted(past.folder.iterdir()) if p.is_file()]
        files += [(f"{INPUTS}/{path.name}", path) for path in inputs]
        _refuse_secrets(files, environ, scratch)
        label = scratch / LABEL
        label.write_bytes(orjson.dumps(_label(past, files), option=orjson.OPT_INDENT_2))
        pack(out, [(LABEL, label), *files], most_bytes=MOST_BYTES)
    return Bundled(path=out, size_bytes=out.stat().st_size)


def _inputs(past: Past, root: Path, scratch: Path) -> tuple[Path, ...]:
    found = kept_files(past.invocation, past.results)
    if isinstance(found, Missing):
        # Not kept with the results: as long as the project is what it was then, it will do.
        request = Request(target=past.run_id, results=past.results)
        cell, _ = make_cell(past, request, scratch / "restored", root)
        told = keep_inputs([cell], scratch)
        found = kept_files(past.invocation, scratch)
        if isinstance(found, Missing):
            raise UserError(f"{past.run_id} cannot be packed: {' '.join(told) or found.why}")
    return found


def _label(past: Past, files: Iterable[tuple[str, Path]]) -> Mapping[str, object]:
    return {
        "bundle": VERSION,
        "run_id": past.run_id,
        "harness": __version__,
        "claude": past.invocation.claude_version,
        "files": {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files},
    }


def _refuse_secrets(files: Iterable[tuple[str, Path]], environ: Mapping[str, str], scratch: Path) -> None:
    secrets = Redactor(_known(environ))
    for name, path in files:
        for where, data in _contents(name, path, scratch):
            found = secrets.spans(data)
            if found:
                line = data.count(b"\n", 0, found[0][0]) + 1
                raise UserError(
                    f"no bundle was made: {where}:{line} holds what looks like a secret; take it out, and run again"
                )


def _known(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The user's own secrets, as far as they can be known."""
    found = find_credential(environ, Path(environ.get("HOME", "~")).expanduser())
    return (*secrets_of(environ), *([found.value] if isinstance(found, Credential) else []))


def _contents(name: str, path: Path, scratch: Path) -> Iterator[tuple[str, bytes]]:
    """What a reader of the bundle could see: archives and recordings opened."""
    if path.name == WIRE:
        yield name, b"".join(plain_wire(path))
    elif is_archive(path):
        place = scratch / "looked-at" / path.name
        unpack(path, place)
        for file in sorted(p for p in place.rglob("*") if p.is_file() and not p.is_symlink()):
            yield f"{name}:{file.relative_to(place)}", file.read_bytes()
    else:
        yield name, path.read_bytes()


def default_name(run_id: str) -> Path:
    return Path(f"{run_id}{SUFFIX}")
