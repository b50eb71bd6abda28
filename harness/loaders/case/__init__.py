"""``case.md``: its sections, its lint, and the tree that it stands in."""
