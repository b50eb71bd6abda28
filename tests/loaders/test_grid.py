"""A grid's file: read whole, or refused with every problem at its line."""

from pathlib import Path

import pytest

from harness.errors import AuthoringError, UserError
from harness.loaders.grid import chosen, find_grid, grids_root, load_grid
from harness.model.grid import Budget, Grid, SkillTree


def test_everything_that_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text(
        "suites: [a, b]\nscenarios: ['R*']\ntags: [t]\narms: [baseline, new]\nmodels: [haiku]\ntrials: 3\nseed: 0\n"
        "jobs: 4\nlimits: {max_turns: 7, timeout_s: 9.5}\nbudget: {usd: 1.5, runs: 20}\nsandbox: jail\n"
        "engine: dask\nworkers: 2\nold: v1\nretries: 0\nmax_wait_s: 0\nresults: out\n"
    )
    assert load_grid(path) == Grid(
        suites=("a", "b"),
        scenarios=("R*",),
        tags=("t",),
        arms=("baseline", "new"),
        models=("haiku",),
        trials=3,
        seed=0,
        jobs=4,
        limits={"max_turns": 7, "timeout_s": 9.5},
        budget=Budget(usd=1.5, runs=20),
        sandbox="jail",
        engine="dask",
        workers=2,
        old="v1",
        retries=0,
        max_wait_s=0,
        results=Path("out"),
    )


def test_a_tree_of_skills_stands_in_place_of_suites(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text("skills: .\nskill: 'review/*'\njudge_model: opus\ntrials: 5\nmodels: [haiku]\n")
    tree = SkillTree(root=".", skill="review/*", trials=5, judge_model="opus")
    assert load_grid(path) == Grid(suites=(), skills=tree, models=("haiku",), trials=5)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("models: [haiku]\n", ":1: suites is missing; add it"),
        ("suites: [a]\nmodels: [m]\njob: 3\n", ":3: job is not a known key; did you mean jobs?"),
        ("suites: [a]\nmodels: [m]\nbudget: {usd: -1}\n", ":3: budget.usd must be a number above 0"),
        ("suites: [a]\nmodels: [m]\nlimits: {turns: 1}\n", ":3: limits.turns is not a known key"),
        ("suites: [a]\nmodels: [m]\njobs: 99\n", ":3: jobs must be at most 64 on one machine"),
        ("suites: [a]\nmodels: [m]\nengine: dask\n", ":3: engine dask needs either workers"),
        ("suites: [a]\nmodels: [m]\nworkers: 2\n", ":3: workers only has a meaning with engine: dask"),
        ("suites: [a]\nmodels: []\n", ":2: models is empty; name at least one"),
        ("suites: [a]\nmodels: [m]\ntrials: 0\n", ":3: trials must be a whole number from 1"),
        ("suites: [a\n", "is not valid YAML"),
        ("skills: .\nmodels: [m]\narms: [new]\n", ":3: arms has no meaning beside skills:"),
        (
            "suites: [a]\nmodels: [m]\njudge_model: m\n",
            ":3: judge_model only has a meaning with skills: ROOT",
        ),
    ],
)
def test_a_mistake_is_told_at_its_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "g.yaml"
    path.write_text(text)
    with pytest.raises(AuthoringError) as caught:
        load_grid(path)
    assert problem in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text("suits: [a]\nmodels: [m]\ntrials: x\n")
    with pytest.raises(AuthoringError) as caught:
        load_grid(path)
    assert len(caught.value.problems) == 3


def test_a_bare_name_is_looked_for_in_grids(tmp_path: Path) -> None:
    (tmp_path / "grids").mkdir()
    (tmp_path / "grids" / "nightly.yaml").touch()
    assert find_grid("nightly", tmp_path) == tmp_path / "grids" / "nightly.yaml"


def test_an_unknown_name_is_refused_with_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "grids").mkdir()
    (tmp_path / "grids" / "nightly.yaml").touch()
    with pytest.raises(UserError, match="one of grids/: nightly"):
        find_grid("nigthly", tmp_path)


def test_an_option_stands_over_the_file() -> None:
    assert chosen(Grid(suites=("a",), jobs=2), jobs=5).jobs == 5


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"engine": "dask"}, "either --workers N or --scheduler"),
        ({"workers": 2}, "belong to --engine dask"),
        ({"engine": "ray"}, "there is no engine 'ray'"),
    ],
    ids=["dask alone", "workers alone", "unknown"],
)
def test_options_that_make_no_sense_together_are_refused(options: dict[str, object], why: str) -> None:
    with pytest.raises(UserError, match=why):
        chosen(Grid(suites=("a",)), **options)  # type: ignore[arg-type]


def test_a_project_without_suites_has_its_grids_found(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    assert grids_root(tmp_path / "a/b") == tmp_path / "a/b"
    (tmp_path / "grids").mkdir()
    assert grids_root(tmp_path / "a/b") == tmp_path
