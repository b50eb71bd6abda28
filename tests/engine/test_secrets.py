"""No file that a run leaves holds a secret, whoever wrote it there."""

import json
import os
from pathlib import Path

import pytest

from harness.gateway.wire import read_wire
from harness.redact import REMOVED
from tests.engine.conftest import Harness, write
from tests.engine.test_eval import Edit, rows
from tests.test_redact import PLANTED

OF_THE_USER = "Zx9-planted-in-the-users-environment"
SHAPED = {name: text for name, text in PLANTED.items() if "\n" not in text}


def everything_kept(project: Path) -> dict[str, bytes]:
    """By name all that stands in the results, recordings unpacked."""
    found: dict[str, bytes] = {}
    for path in (project / "results").rglob("*"):
        if path.name.endswith(".zst"):
            found[path.name] = repr(list(read_wire(path))).encode()
        elif path.is_file():
            found[path.name] = path.read_bytes()
    return found


def play(project: Path, *commands: str, final: str = "Done.") -> None:
    book = {
        "kind": "x",
        "expect": {"status": "completed", "verdict": "fail", "axis_a": False, "axis_b": False},
        "turns": [{"tools": [{"Bash": {"command": c}} for c in commands]}, {"text": final}],
    }
    write(project, {"scenarios/demo/R1/playbooks/planted.yaml": json.dumps(book)})


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Of a run whose agent says, prints, writes and sends every secret that there is to be had."""
    from tests.engine.conftest import FILES, clean_env, run_harness

    root = tmp_path_factory.mktemp("secrets")
    project, home = root / "project", root / "home"
    home.mkdir()
    write(project, FILES)
    said = " ".join(f'"{text}"' for text in SHAPED.values())
    play(
        project,
        *(f"echo 'printed {text}' | tee -a notes.txt" for text in SHAPED.values()),
        f"printf '%s' '{json.dumps(PLANTED['private-key'])[1:-1]}' > key.pem; cat key.pem",
        "env; echo $ANTHROPIC_API_KEY > token.txt",
        "cat /proc/*/environ | tr '\\0' '\\n' | grep USERS_TOKEN | tee -a stolen.txt",
        final=f"I found {said} and ADR-0009.",
    )
    environ = {**clean_env(home), "USERS_TOKEN": OF_THE_USER}
    done = run_harness(
        project, environ, "eval", "demo", "--model", "scripted:planted", "--sandbox", "tempdir"
    )
    assert done.code == 1, done.out + done.err
    return everything_kept(project)


@pytest.mark.parametrize("name", SHAPED)
def test_a_secret_of_a_known_shape_is_nowhere(name: str, kept: dict[str, bytes]) -> None:
    assert [file for file, data in kept.items() if SHAPED[name].encode() in data] == []


def test_a_private_key_is_nowhere(kept: dict[str, bytes]) -> None:
    assert [file for file, data in kept.items() if b"MIIEow" in data] == []


def test_a_secret_of_the_users_environment_is_nowhere(kept: dict[str, bytes]) -> None:
    assert [file for file, data in kept.items() if OF_THE_USER.encode() in data] == []
    assert f"USERS_TOKEN={REMOVED}".encode() in kept["stream.jsonl"], "the agent did find it"


def test_the_runs_own_token_is_nowhere(kept: dict[str, bytes]) -> None:
    assert f"ANTHROPIC_API_KEY={REMOVED}".encode() in kept["stream.jsonl"]
    changes = {c["path"]: c["after"] for c in json.loads(kept["changes.json"])}
    assert changes["token.txt"] == f"{REMOVED}\n"


def test_what_stands_around_a_secret_stays(kept: dict[str, bytes]) -> None:
    assert f"printed {REMOVED}".encode() in kept["stream.jsonl"]
    assert f"+printed {REMOVED}".encode() in kept["world.diff"]
    assert kept["output.md"].endswith(b"and ADR-0009.")


def test_how_many_were_taken_out_is_noted(kept: dict[str, bytes]) -> None:
    assert json.loads(kept["gateway.json"])["redacted"] >= len(SHAPED)


@pytest.mark.parametrize(
    "name", ["invocation.json", "stream.jsonl", "session.jsonl", "wire.jsonl.zst", "checks.json", "row.tsv"]
)
def test_every_kind_of_file_was_looked_at(name: str, kept: dict[str, bytes]) -> None:
    assert kept[name]


def test_a_run_without_secrets_is_left_as_it_is(project: Path, harness: Harness) -> None:
    harness("eval", "demo")
    (row,) = rows(project)
    folder = project / "results/runs" / row["run_id"]
    assert REMOVED.encode() not in (folder / "stream.jsonl").read_bytes()
    assert json.loads((folder / "gateway.json").read_bytes())["redacted"] == 0
    assert [name for name in os.listdir(folder) if "redacting" in name] == []  # noqa: PTH208


def test_a_secret_in_the_prompt_is_not_kept(project: Path, harness: Harness, edit: Edit) -> None:
    edit("scenarios/demo/R1/scenario.yaml", "Add a discount.", f"Use {PLANTED['github']} for it.")
    harness("eval", "demo", "--no-lint")
    kept = everything_kept(project)
    assert [name for name, data in kept.items() if PLANTED["github"].encode() in data] == []
    assert f"Use {REMOVED} for it." in json.loads(kept["invocation.json"])["argv"]


def test_a_run_is_judged_by_what_is_kept_so_that_rescoring_finds_the_same(
    project: Path, harness: Harness, edit: Edit
) -> None:
    edit("scenarios/demo/R1/scenario.yaml", "matches: Decimal", "matches: AKIA")
    play(
        project, f"cat docs/adr/0001-money.md; echo 'K = \"{PLANTED['aws']}\"' >> src/price.py", final="Done."
    )
    harness("eval", "demo", "--model", "scripted:planted", "--no-lint")
    done = harness("rescore")
    assert "1 runs judged again, 0 changed" in done.out
    assert rows(project)[0]["pass"] == "fail"
