"""Counts as a person writes them."""


def plural(n: int, word: str) -> str:
    return f"{n} {word}" + ("" if n == 1 else "s")
