"""A small tree of skills in a git repository of its own."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

GOOD = """---
description: a review of one small change
---
## Prompt
Please look over the change in app.py and write down what you find.

## Hard assertions
```sh
test -f "$WORLD/review.md"
grep -qE 'bug' "$OUTPUT"
```

## Soft criteria
- The answer names the line that is wrong.
- It says how to mend it.
"""

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Runs git in ``tmp_path/repo``, which exists from then on."""
    root = tmp_path / "repo"
    root.mkdir()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.invalid",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.invalid",
    }

    def run(*args: str) -> str:
        done = subprocess.run(["git", *args], cwd=root, env=env, capture_output=True, text=True, check=True)
        return done.stdout

    run("init", "-q")
    return run


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


SKILL = "---\nname: change-review\ndescription: Reviews a change.\n---\n# Review\n"


@pytest.fixture
def tree(tmp_path: Path, git: Git) -> Path:
    """One skill below a cosmetic folder, one case with a fixture, all of it added to git."""
    root = tmp_path / "repo"
    write(
        root,
        {
            "skills/team/change-review/SKILL.md": SKILL,
            "tests/skills/team/change-review/small/case.md": GOOD,
            "tests/skills/team/change-review/small/fixture/app.py": "print(1)\n",
        },
    )
    git("add", "-A")
    git("commit", "-qm", "one")
    return root
