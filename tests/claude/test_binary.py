"""Which claude is taken, and what a person is told when there is none."""

import os
from pathlib import Path

import pytest

from harness.claude.binary import find_claude, read_version
from harness.errors import UserError

GOOD = '#!/bin/sh\necho "9.8.7 (Claude Code)"\n'


def _program(path: Path, text: str = GOOD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_option_comes_before_everything_else(tmp_path: Path) -> None:
    option = _program(tmp_path / "option" / "claude")
    other = _program(tmp_path / "other" / "claude")
    found = find_claude(str(option), {"HARNESS_CLAUDE": str(other), "PATH": str(other.parent)})
    assert (found.path, found.version, found.source) == (option, "9.8.7", "option")


def test_the_variable_comes_before_path(tmp_path: Path) -> None:
    named = _program(tmp_path / "named" / "claude")
    other = _program(tmp_path / "other" / "claude")
    found = find_claude(None, {"HARNESS_CLAUDE": str(named), "PATH": str(other.parent)})
    assert (found.path, found.source) == (named, "HARNESS_CLAUDE")


def test_path_comes_before_the_bundled_one(tmp_path: Path) -> None:
    program = _program(tmp_path / "bin" / "claude")
    found = find_claude(None, {"PATH": str(program.parent)})
    assert (found.path, found.source) == (program, "PATH")


def test_a_bare_name_is_looked_for_on_path(tmp_path: Path) -> None:
    program = _program(tmp_path / "bin" / "claude-next")
    assert find_claude("claude-next", {"PATH": str(program.parent)}).path == program


def test_a_link_is_followed_once_for_all_runs(tmp_path: Path) -> None:
    program = _program(tmp_path / "versions" / "9")
    (tmp_path / "claude").symlink_to(program)
    assert find_claude(str(tmp_path / "claude"), {}).path == program


def test_the_version_is_asked_in_an_environment_without_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    spy = _program(
        tmp_path / "claude", f'#!/bin/sh\nenv > {tmp_path}/seen; [ "$1" = --version ] && echo 1.2.3\n'
    )
    assert read_version(spy) == "1.2.3"
    seen = (tmp_path / "seen").read_text()
    assert "CLAUDECODE" not in seen
    assert "sk-secret" not in seen
    assert f"HOME={os.environ.get('HOME')}\n" not in seen


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("#!/bin/sh\necho broken >&2; exit 3\n", "exit code 3", id="fails"),
        pytest.param("#!/bin/sh\necho broken >&2; exit 3\n", "It said: broken", id="says-why"),
        pytest.param("#!/bin/sh\necho hello\n", "no version", id="says-no-version"),
        pytest.param("#!/nowhere/node\n", "cannot be started", id="no-interpreter"),
        pytest.param("", "cannot be started", id="empty-file"),
    ],
)
def test_a_broken_one_is_refused_with_its_reason(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        find_claude(str(_program(tmp_path / "claude", text)), {})


def test_one_that_never_answers_is_refused_and_ended(tmp_path: Path) -> None:
    program = _program(tmp_path / "claude", "#!/bin/sh\nsleep 333\n")
    with pytest.raises(UserError, match="did not answer --version"):
        read_version(program, limit_s=0.3)


@pytest.mark.parametrize(
    ("option", "environ", "why"),
    [
        pytest.param(
            "/nowhere/claude", {}, "--claude names /nowhere/claude, which does not exist", id="option"
        ),
        pytest.param(None, {"HARNESS_CLAUDE": "/nowhere"}, "HARNESS_CLAUDE names /nowhere", id="variable"),
        pytest.param("/usr", {}, "not an executable file", id="folder"),
        pytest.param("/etc/passwd", {}, "not an executable file", id="plain-file"),
    ],
)
def test_a_place_the_user_named_is_never_passed_over(
    option: str | None, environ: dict[str, str], why: str
) -> None:
    with pytest.raises(UserError, match=why):
        find_claude(option, environ)


def test_none_at_all_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.claude.binary._bundled", lambda: None)
    with pytest.raises(UserError, match="--claude PATH or HARNESS_CLAUDE"):
        find_claude(None, {"PATH": "/nowhere"})
