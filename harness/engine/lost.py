"""The one way in which a run can come to nothing at all."""


class RunLostError(Exception):
    """The worker that ran it is gone with all of it; the text says how."""
