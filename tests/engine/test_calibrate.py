"""``harness calibrate``: every playbook against what it declares, on the real claude."""

from pathlib import Path

from tests.engine.conftest import Harness
from tests.engine.test_eval import Edit


def test_playbooks_that_get_what_they_declare_are_no_mismatch(harness: Harness) -> None:
    done = harness("calibrate", "demo", "--json")
    assert (done.code, done.json) == (
        0,
        {
            "playbooks": 2,
            "mismatches": [],
            "by_kind": {
                "ideal": {"playbooks": 1, "mismatches": 0},
                "silent": {"playbooks": 1, "mismatches": 0},
            },
        },
    )


def test_a_playbook_that_gets_something_else_is_named_with_both(harness: Harness, edit: Edit) -> None:
    edit("scenarios/demo/R1/playbooks/silent.yaml", "axis_a: false", "axis_a: true")
    done = harness("calibrate", "demo")
    assert done.code == 1
    assert "R1/silent: declared completed fail true false," in done.out
    assert "found completed fail false false: did not consult" in done.out


def test_calibrating_leaves_no_results_in_the_project(project: Path, harness: Harness) -> None:
    harness("calibrate", "demo")
    assert not (project / "results").exists()
