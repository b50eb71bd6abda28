"""A fresh project for each test, and one with finished runs for those that only read."""

from pathlib import Path

import pytest

from tests.repro.lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab.make(tmp_path)


@pytest.fixture(scope="session")
def _finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lab, dict[str, str]]:
    made = Lab.make(tmp_path_factory.mktemp("lab"))
    names = ("ideal", "parallel", "short")
    return made, dict(zip(names, made.run(*names), strict=True))


@pytest.fixture
def done(_finished: tuple[Lab, dict[str, str]]) -> Lab:
    """A project with one run of each playbook of ``ids``, which no test may change."""
    return _finished[0]


@pytest.fixture
def ids(_finished: tuple[Lab, dict[str, str]]) -> dict[str, str]:
    return _finished[1]
