"""Lanes at the desk: one at a time, and who starts a run first."""

import threading
import time

from harness.engine.desk import Desk


def _soon(thread: threading.Thread) -> None:
    thread.start()
    time.sleep(0.05)  # it has come to the desk, and waits


def test_one_lane_at_a_time_is_at_the_desk() -> None:
    desk, inside, most = Desk(), [0], [0]

    def lane() -> None:
        for _ in range(50):
            with desk:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0)
                inside[0] -= 1
                with desk.away():
                    time.sleep(0)
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    lanes = [threading.Thread(target=lane) for _ in range(8)]
    for thread in lanes:
        thread.start()
    for thread in lanes:
        thread.join(20)
    assert (most, any(thread.is_alive() for thread in lanes)) == ([1], False)


def test_who_starts_a_run_goes_before_those_who_judge() -> None:
    desk, came, out = Desk(), [], threading.Event()

    def judge() -> None:
        with desk:
            with desk.away():
                out.wait(10)
            came.append("judged")

    def start() -> None:
        with desk:
            came.append("started")

    first = threading.Thread(target=judge)
    _soon(first)
    with desk:
        out.set()
        time.sleep(0.05)
        second = threading.Thread(target=start)
        _soon(second)
    first.join(10)
    second.join(10)
    assert came == ["started", "judged"]
