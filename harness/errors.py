"""The one exception that is meant for the user."""


class UserError(Exception):
    """A mistake the user can mend; its text is one or two lines that say how."""
