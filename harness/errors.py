"""The exceptions that are meant for the user."""

from collections.abc import Iterable

from harness.model.problem import Problem


class UserError(Exception):
    """A mistake the user can mend; its text is one or two lines that say how."""


class AuthoringError(UserError):
    """All problems found in the files of an evaluation, told at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda p: (str(p.path), p.line)))
        super().__init__("\n".join(map(str, self.problems)))
