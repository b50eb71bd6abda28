"""Evaluate Claude Code plugins and skills by running the real ``claude`` and judging what it did."""

__version__ = "0.1.0"
