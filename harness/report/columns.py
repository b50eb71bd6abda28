"""Lines of cells as a table in plain text."""

from collections.abc import Sequence


def in_columns(lines: Sequence[Sequence[str]]) -> list[str]:
    """Each line with its cells under those of the first, two blanks between, none at the end."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
