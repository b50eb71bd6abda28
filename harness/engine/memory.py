"""How this process keeps its own memory small while many runs pass through it."""

import ctypes

_M_TRIM_THRESHOLD = -1
_THRESHOLD_BYTES = 128 << 10


def give_back_early() -> None:
    """Have freed memory go back to the system at once, where the C library is glibc.

    It raises its threshold each time a large block is freed: after the first long stream, a thread keeps for
    itself whatever it has used.
    """
    try:
        ctypes.CDLL(None).mallopt(_M_TRIM_THRESHOLD, _THRESHOLD_BYTES)
    except (OSError, AttributeError):
        return
