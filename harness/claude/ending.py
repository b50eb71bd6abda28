"""How a run's processes are ended: INT, TERM, KILL, each with its time, over the whole tree."""

import os
import select
import signal
import time

from msgspec import Struct

from harness.claude.descendants import Family, Proc, still_there
from harness.claude.reaping import Child

INT_WAIT_S = 2.0
"""After INT claude writes a result event with the costs so far."""
TERM_WAIT_S = 1.0
KILL_WAIT_S = 3.0
SURVIVORS_TERM_WAIT_S = 0.5
OWN_END_S = 0.15
"""Servers of a plugin see the end of their input and go by themselves; they are no survivors."""


class Ending(Struct, frozen=True, kw_only=True):
    signals: tuple[str, ...] = ()
    ended: int = 0
    left: int = 0


def end_tree(child: Child, family: Family, *, gently: bool) -> Ending:
    """End the first process and all under it. ``gently`` starts with INT, to the first process only."""
    members = family.look()  # before the first signal: once parents die, the tree cannot be read any more
    signals: list[str] = []
    if gently:
        signals.append("INT")
        main = family.main(members)
        if main.pid == child.pid:
            child.send(signal.SIGINT)
        else:
            _send([main], signal.SIGINT)
        if child.wait(INT_WAIT_S):
            return Ending(signals=tuple(signals))
    signals.append("TERM")
    child.send(signal.SIGTERM)
    _send(members, signal.SIGTERM)
    if not child.wait(TERM_WAIT_S):
        signals.append("KILL")
        family.look()  # what it started since
        child.send(signal.SIGKILL)
        child.wait(KILL_WAIT_S)
    return Ending(signals=tuple(signals))


def end_survivors(family: Family, *, warned: bool) -> Ending:
    """End what is left once the first process has gone; ``warned``: TERM was sent to it already."""
    members = family.look() if warned else _after(family, OWN_END_S, family.look())
    if not members:
        return Ending()
    met = {(p.pid, p.start) for p in members}
    signals: list[str] = []
    if not warned:
        signals.append("TERM survivors")
        _send(members, signal.SIGTERM)
        members = _after(family, SURVIVORS_TERM_WAIT_S, members)
    if members:
        signals.append("KILL survivors")
    until = time.monotonic() + KILL_WAIT_S
    while members and time.monotonic() < until:
        met.update((p.pid, p.start) for p in members)
        _send(members, signal.SIGKILL)
        _wait(members, 0.1)
        members = family.look()
    return Ending(signals=tuple(signals), ended=len(met) - len(members), left=len(members))


def _after(family: Family, wait_s: float, members: list[Proc]) -> list[Proc]:
    """The members that are left after ``wait_s``, or [] as soon as a look finds none."""
    until = time.monotonic() + wait_s
    while members and (left := until - time.monotonic()) > 0:
        _wait(members, left)
        members = family.look()
    return members


def _send(members: list[Proc], number: signal.Signals) -> None:
    for proc in members:
        try:
            # An open pidfd pins the process; only then is it checked to be the one that was seen.
            fd = os.pidfd_open(proc.pid) if hasattr(os, "pidfd_open") else -1
        except OSError:
            continue
        try:
            if not still_there(proc):
                continue
            if fd >= 0:
                signal.pidfd_send_signal(fd, number)
            else:
                os.kill(proc.pid, number)
        except OSError:
            continue  # gone in between, or owned by somebody else: the next look tells
        finally:
            if fd >= 0:
                os.close(fd)


def _wait(members: list[Proc], wait_s: float) -> None:
    """Until all of them have ended, at most ``wait_s``."""
    until = time.monotonic() + wait_s
    if not hasattr(os, "pidfd_open"):
        while any(still_there(p) for p in members) and time.monotonic() < until:
            time.sleep(0.02)
        return
    for proc in members:
        try:
            fd = os.pidfd_open(proc.pid)
        except OSError:
            continue
        try:
            if still_there(proc):
                poll = select.poll()
                poll.register(fd, select.POLLIN)
                poll.poll(max(0.0, until - time.monotonic()) * 1000)
        finally:
            os.close(fd)
