"""The one place that knows tree-sitter: shell text to a syntax tree, or the news that it is no shell."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_BYTES = 200_000
"""Longer text is no command that a person or a model writes, but a document."""
MAX_DEPTH = 120
"""Deeper nesting than a person writes; the walk is recursive and must not meet Python's own limit."""


@cache
def _parser() -> "Parser":
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(text: str) -> "Node | None":
    """The root of ``text``'s syntax tree; None where the grammar cannot make sense of all of it."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) > MAX_BYTES:
        return None
    root = _parser().parse(encoded).root_node
    if root.has_error or _depth(root) > MAX_DEPTH:
        return None
    return root


def text_of(node: "Node") -> str:
    """The source text of ``node``."""
    return (node.text or b"").decode("utf-8", "replace")


def _depth(root: "Node") -> int:
    level, depth = [root], 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [child for node in level for child in node.named_children]
    return depth
