"""A shell in a run's sandbox, with what the run left there and without its credential."""

import os
import pty
import subprocess
import sys
from collections.abc import Mapping

from harness.claude.descendants import TOKEN_VARIABLE
from harness.engine.box import Box

KEPT_OUT = ("ANTHROPIC_", "CLAUDE_CODE_OAUTH_TOKEN", TOKEN_VARIABLE)
SHELL = ("/bin/bash", "--noprofile", "--norc")
"""Start-up files in there may have been written by the model."""


def open_shell(box: Box, env: Mapping[str, str]) -> None:
    """Give the terminal to a shell until it ends.

    On a terminal of its own: a program in there that pushes words into its terminal must not reach this one.
    """
    place = box.place
    seen = {name: value for name, value in env.items() if not name.startswith(KEPT_OUT)}
    seen |= {"TERM": os.environ.get("TERM", "dumb"), "PS1": "sandbox:\\w\\$ "}
    argv = place.wrap(SHELL if os.path.exists(SHELL[0]) else ("/bin/sh",))  # noqa: PTH110
    if sys.stdin.isatty():
        print(f"a shell in the sandbox, at {place.world_seen_as}; `exit` ends it", file=sys.stderr)
        words = [f"{name}={value}" for name, value in seen.items()]
        pty.spawn(["/usr/bin/env", "-i", "-C", str(place.cwd), *words, *argv])
    else:
        subprocess.run(argv, env=seen, cwd=place.cwd, check=False)
