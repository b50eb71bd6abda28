"""What can be said about one line of shell without running it."""

import os
import re
import shutil
import subprocess
from functools import lru_cache

import tree_sitter
import tree_sitter_bash

from harness.errors import UserError

_NOTHING = re.compile(r"(true|:|exit 0|\[ 1 \]|test 1)\s*(#.*)?$")


@lru_cache(maxsize=1)
def shell() -> str:
    """The absolute path of ``sh``."""
    found = shutil.which("sh") or shutil.which("sh", path="/bin:/usr/bin")
    if found is None:
        raise UserError("there is no sh on PATH; hard assertions need one")
    return found


@lru_cache(maxsize=1)
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _unquoted(line: str) -> str:
    """The line with all that is quoted, escaped, in ``$((…))`` or in a comment blanked out."""
    line = re.sub(r"\$\(\(.*?\)\)", lambda m: " " * len(m[0]), line)
    out, quote, skip = list[str](), "", False
    for place, char in enumerate(line):
        if skip:
            skip = False
            out.append(" ")
        elif char == "\\" and quote != "'":
            skip = True
            out.append(" ")
        elif quote:
            quote = "" if char == quote else quote
            out.append(" ")
        elif char in "'\"":
            quote = char
            out.append(" ")
        elif char == "#" and (place == 0 or line[place - 1] in " \t;&|("):
            break
        else:
            out.append(char)
    return "".join(out)


def incomplete(line: str) -> str:
    """Why this line is no complete predicate by itself, or ''."""
    bare = _unquoted(line)
    if not bare.strip() and line.lstrip().startswith("#"):
        return "is only a comment and would always pass; say it outside the code block"
    if (len(line) - len(line.rstrip("\\"))) % 2:
        return "is continued with a backslash; each line is a predicate by itself, so join it with the next"
    if re.search(r"(?<!<)<<(?!<)", bare):
        return "opens a heredoc; each line is a predicate by itself, so use printf or a fixture file"
    if re.search(r"(?<!&)&\s*$", bare):
        return "ends with &, so its exit code is lost; take the & away"
    if _NOTHING.match(line.strip()):
        return "checks nothing: it always passes"
    return syntax_error(line)


def syntax_error(line: str) -> str:
    """What ``sh -n`` says against the line, or ''."""
    done = subprocess.run(
        [shell(), "-n", "-c", line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
        timeout=10,
        check=False,
    )
    if done.returncode == 0:
        return ""
    said = done.stderr.decode(errors="replace").strip().split("\n")[0]
    return f"is not a complete predicate: {re.sub(r'^.*?: ', '', said) or 'syntax error'}"


def commands(line: str) -> tuple[str, ...]:
    """The bare command names that the line would start, as far as they stand in it literally."""
    names: dict[str, None] = {}
    defined: set[str] = set()
    todo = [_parser().parse(line.encode()).root_node]
    while todo:
        node = todo.pop()
        text = (node.text or b"").decode(errors="replace")
        if node.type == "function_definition" and (name := node.child_by_field_name("name")) is not None:
            defined.add((name.text or b"").decode(errors="replace"))
        if node.type == "command_name" and re.fullmatch(r"[\w.+-]+", text):
            names[text] = None
        todo.extend(reversed(node.children))
    return tuple(n for n in names if n not in defined)
