"""The commands, one a file; each reads its options, calls one verb and says what came of it.

What a command calls is imported inside it: ``harness --help`` must not pay for the gateway or the parsers.
"""

from collections.abc import Callable
from inspect import cleandoc


def add_examples(command: Callable[..., None], text: str) -> None:
    """Put examples at the end of a command's help, line for line: without the mark they would be wrapped as one paragraph."""
    lines = [line for line in text.split("\n") if line.strip() and line.strip() != "Examples:"]
    command.__doc__ = cleandoc(command.__doc__ or "") + "\n\n\b\nExamples:\n" + "\n".join(lines)
