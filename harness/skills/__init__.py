"""Is a skill better than no skill, and than the version before: its arms, its seed, its gate, its verdict."""

from harness.loaders.case.tree import discover, select

__all__ = ["discover", "select"]
