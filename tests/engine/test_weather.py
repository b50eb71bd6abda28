"""When cells may start again after the API turned runs away."""

import itertools
import random

import pytest

from harness.engine.weather import Weather


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def weather(clock: Clock) -> Weather:
    return Weather(max_wait_s=3600, now=clock, chance=random.Random(1))


def test_nothing_is_waited_for_in_good_weather(weather: Weather) -> None:
    assert weather.wait_s == 0


@pytest.mark.parametrize(
    ("resets_at", "retry_after_s", "least"),
    [(1100.0, None, 100), (None, 30.0, 30), (1100.0, 30.0, 100), (None, None, 5), (900.0, None, 5)],
    ids=["reset", "retry-after", "both", "neither", "reset in the past"],
)
def test_the_named_time_is_kept_to(
    weather: Weather, resets_at: float | None, retry_after_s: float | None, least: float
) -> None:
    assert weather.turned_away(1000.0, resets_at=resets_at, retry_after_s=retry_after_s)
    assert least <= weather.wait_s <= least + 2


def test_waits_grow_while_no_run_gets_through(weather: Weather, clock: Clock) -> None:
    waits = []
    for _ in range(4):
        weather.turned_away(clock.now, resets_at=None, retry_after_s=None)
        waits.append(weather.wait_s)
        clock.now = weather.until
    assert all(later > 1.5 * earlier for earlier, later in itertools.pairwise(waits))


def test_runs_of_before_the_wait_do_not_lengthen_it(weather: Weather) -> None:
    weather.turned_away(999.0, resets_at=None, retry_after_s=None)
    until = weather.until
    for _ in range(60):
        weather.turned_away(999.5, resets_at=None, retry_after_s=None)
    assert weather.until == until


def test_a_run_that_gets_through_ends_the_spell(weather: Weather, clock: Clock) -> None:
    for _ in range(3):
        weather.turned_away(clock.now, resets_at=None, retry_after_s=None)
        clock.now = weather.until
    weather.got_through(clock.now)
    weather.turned_away(clock.now, resets_at=None, retry_after_s=None)
    assert weather.wait_s < 7


def test_a_wait_over_the_limit_is_refused(weather: Weather) -> None:
    assert not weather.turned_away(1000.0, resets_at=1000.0 + 3601, retry_after_s=None)


def test_short_waits_add_up_to_the_limit(weather: Weather, clock: Clock) -> None:
    for _ in range(50):
        if not weather.turned_away(clock.now, resets_at=None, retry_after_s=300.0):
            break
        clock.now = weather.until
    assert 3000 < clock.now - 1000 <= 3600
