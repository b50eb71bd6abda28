"""Suites of claude plugin eval: what they say is kept, and what no case can say is listed."""

import os
import subprocess
from pathlib import Path

import pytest

from harness.errors import AuthoringError, UserError
from harness.interop.graders import Converted, convert
from harness.interop.imported import Notes, write_cases
from harness.interop.plugin_eval import import_plugin_eval


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


PROMPT = """---
schema_version: "1.1"
name: Adds a Page
description: a page is added
max_turns: 5
allowed_tools: [Write]
---
Add a page about prices.
"""


def grader(kind: str, body: str = "", **keys: object) -> str:
    lines = "".join(f"{k}: {v}\n" for k, v in keys.items())
    return f"---\ntype: {kind}\n{lines}---\n{body}\n"


def test_prompt_and_graders_become_a_case_and_the_rest_is_listed(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "evals/one/prompt.md": PROMPT,
            "evals/one/graders/mentions.md": grader("regex", "[Pp]rices?"),
            "evals/one/graders/file.md": grader("file_exists", path="prices.md"),
            "evals/one/graders/good.md": grader("llm", "The page is\n  complete."),
            "evals/one/graders/used.md": grader("tool_used", tool="Write", min=1),
            "evals/results/old/prompt.md": "not a case",
        },
    )
    got = import_plugin_eval(tmp_path / "evals")
    (case,) = got.cases
    assert (case.name, case.description, case.prompt) == (
        "adds-a-page",
        "a page is added",
        "Add a page about prices.",
    )
    assert case.assertions == ('test -e "$WORLD/prices.md"', "grep -qP -e '[Pp]rices?' \"$OUTPUT\"")
    assert case.criteria == ("The page is complete.",)
    told = "\n".join(p.text for p in got.left_out)
    for word in (
        "execution.max_turns: 5",
        "execution.allowed_tools",
        "used (tool_used)",
        "only created files count",
    ):
        assert word in told
    assert all(p.text.startswith("not imported: ") for p in got.left_out)


def test_case_yaml_is_the_base_and_prompt_md_goes_over_it(tmp_path: Path) -> None:
    yaml = (
        "schema_version: '1.0'\nname: base\nruns: 4\ncontext: {add_dirs: [x], history_file: h.jsonl}\n"
        "execution: {prompt: from yaml}\ngraders:\n  - {type: llm, name: g, criteria: c1}\nsurprise: 1\n"
    )
    put(tmp_path, {"a/case.yaml": yaml, "b/case.yaml": yaml, "b/prompt.md": "from md"})
    got = import_plugin_eval(tmp_path)
    assert [(c.name, c.prompt, c.criteria) for c in got.cases] == [
        ("base", "from yaml", ("c1",)),
        ("base-2", "from md", ("c1",)),
    ]
    told = "\n".join(p.text for p in got.left_out)
    for word in ("runs: 4", "context.add_dirs", "context.history_file", "surprise: 1 (the key is not known)"):
        assert word in told


def test_a_scaffold_script_runs_only_when_it_is_allowed(tmp_path: Path) -> None:
    yaml = "name: s\nexecution: {prompt: p}\ncontext: {scaffold_script: make.sh}\ngraders: []\n"
    put(tmp_path / "evals", {"s/case.yaml": yaml, "s/make.sh": f"touch {tmp_path}/ran; echo 1 > a.txt\n"})
    got = import_plugin_eval(tmp_path / "evals")
    assert not (tmp_path / "ran").exists()
    assert any("allow it with --scaffold" in p.text for p in got.left_out)
    got = import_plugin_eval(tmp_path / "evals", scaffold_into=tmp_path / "made")
    assert (tmp_path / "ran").exists()
    assert got.cases[0].files["a.txt"].read_text() == "1\n"


def test_a_scaffold_script_that_fails_is_a_user_error(tmp_path: Path) -> None:
    yaml = "name: s\nexecution: {prompt: p}\ncontext: {scaffold_script: 'echo no >&2; exit 3'}\ngraders: []\n"
    put(tmp_path, {"evals/s/case.yaml": yaml})
    with pytest.raises(UserError, match="ended with 3: no"):
        import_plugin_eval(tmp_path / "evals", scaffold_into=tmp_path / "made")


@pytest.mark.parametrize(
    ("keys", "message", "files", "passes"),
    [
        pytest.param({"pattern": 'it\'s "ok"'}, 'yes, it\'s "ok"', {}, True, id="quotes"),
        pytest.param({"pattern": "OK", "flags": "i"}, "ok", {}, True, id="ignore-case"),
        pytest.param({"pattern": "-x"}, "no", {}, False, id="a-dash"),
        pytest.param({"pattern": "bad", "match": "not_contains"}, "good", {}, True, id="not-contains"),
        pytest.param({"pattern": "bad", "match": "not_contains"}, "bad", {}, False, id="not-contains-2"),
        pytest.param({"pattern": "a", "match": "count:3"}, "a ba\na", {}, True, id="count"),
        pytest.param({"pattern": "a", "match": "count:3"}, "a ba", {}, False, id="count-2"),
        pytest.param({"pattern": "^b", "flags": "m"}, "a\nb", {}, True, id="multi-line"),
        pytest.param(
            {"pattern": "1", "target": {"source": "file", "path": "a $b.md"}},
            "x",
            {"a $b.md": "1"},
            True,
            id="file",
        ),
        pytest.param(
            {"pattern": "1", "match": "not_contains", "target": {"source": "file", "path": "a.md"}},
            "x",
            {},
            False,
            id="a-file-that-is-missing-fails-either-way",
        ),
        pytest.param({"type": "file_exists", "path": "a.md"}, "x", {"a.md": ""}, True, id="exists"),
        pytest.param(
            {"type": "file_exists", "path": "a.md", "exists": False}, "x", {"a.md": ""}, False, id="not"
        ),
        pytest.param({"type": "file_exists", "path": "**/*.md"}, "x", {"d/e/a.md": ""}, True, id="glob"),
        pytest.param(
            {"type": "file_exists", "path": "*.md", "exists": False}, "x", {"a.txt": ""}, True, id="glob-2"
        ),
    ],
)
def test_a_converted_grader_says_the_same(
    tmp_path: Path, keys: dict[str, object], message: str, files: dict[str, str], passes: bool
) -> None:
    into, notes = Converted(), Notes()
    convert({"type": "regex", **keys}, Path("g.md"), notes, into)
    (tmp_path / "w").mkdir()
    put(tmp_path / "w", files)
    (tmp_path / "out").write_text(message)
    env = {"PATH": os.environ["PATH"], "WORLD": str(tmp_path / "w"), "OUTPUT": str(tmp_path / "out")}
    done = subprocess.run(["sh", "-c", into.assertions[0]], env=env, cwd=tmp_path / "w", check=False)
    assert (done.returncode == 0) is passes


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param({"pattern": "a.b", "flags": "s"}, id="dot-all"),
        pytest.param({"pattern": "^a"}, id="anchored-to-the-text"),
        pytest.param({"pattern": "a\\nb"}, id="line-break"),
        pytest.param({"pattern": "a", "target": "trace"}, id="trace"),
        pytest.param({"pattern": "a", "target": "files"}, id="created-files"),
        pytest.param({"pattern": ""}, id="NM11-empty-pattern"),
        pytest.param({"pattern": "a", "match": "never"}, id="unknown-match"),
        pytest.param({"type": "tool_order", "before": "Read", "after": "Write"}, id="tool-order"),
        pytest.param({"type": "later"}, id="unknown-type"),
        pytest.param({"type": "file_exists"}, id="no-path"),
    ],
)
def test_what_cannot_be_said_is_listed_and_never_said_wrongly(keys: dict[str, object]) -> None:
    into, notes = Converted(), Notes()
    convert({"type": "regex", **keys}, Path("g.md"), notes, into)
    assert (into.assertions, into.criteria) == ([], [])
    assert len(notes.found) == 1


def test_weight_arm_and_unknown_keys_are_listed() -> None:
    into, notes = Converted(), Notes()
    convert(
        {"type": "llm", "criteria": "c", "weight": 2, "arm": "with-only", "mood": 1},
        Path("g.md"),
        notes,
        into,
    )
    assert into.criteria == ["c"]
    assert len(notes.found) == 3


def test_a_folder_without_cases_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no case\.yaml"):
        import_plugin_eval(tmp_path)


def test_a_broken_file_is_told_with_its_line(tmp_path: Path) -> None:
    put(tmp_path, {"a/case.yaml": "name: x\nexecution: [\n"})
    with pytest.raises(AuthoringError, match=r"case.yaml:\d"):
        import_plugin_eval(tmp_path)


def test_imported_cases_are_written_as_case_md(tmp_path: Path) -> None:
    put(tmp_path, {"evals/one/prompt.md": PROMPT, "evals/one/graders/g.md": grader("llm", "It is complete.")})
    got = import_plugin_eval(tmp_path / "evals")
    written, problems = write_cases(got, tmp_path / "repo", "pages")
    assert [p.relative_to(tmp_path / "repo").as_posix() for p in written] == [
        "tests/skills/pages/adds-a-page/case.md"
    ]
    assert problems == ()
    with pytest.raises(UserError, match="exists already"):
        write_cases(got, tmp_path / "repo", "pages")


def test_a_prompt_that_names_its_skill_is_told(tmp_path: Path) -> None:
    put(tmp_path, {"evals/one/prompt.md": "Use add-page, please."})
    _, problems = write_cases(import_plugin_eval(tmp_path / "evals"), tmp_path / "repo", "add-page")
    assert any("'add-page'" in p.text for p in problems)
