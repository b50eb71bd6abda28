"""skill-creator's evals.json and iteration folders."""

import json
from pathlib import Path

import pytest

from harness.errors import AuthoringError, UserError
from harness.interop.skill_creator import import_evals, read_iteration


def evals(tmp_path: Path, data: object) -> Path:
    path = tmp_path / "skill" / "evals" / "evals.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_evals_become_cases_and_the_rest_is_listed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("s")
    (tmp_path / "skill" / "evals" / "files").mkdir(parents=True)
    (tmp_path / "skill/evals/files/a.csv").write_text("1")
    path = evals(
        tmp_path,
        {
            "skill_name": "tables",
            "evals": [
                {
                    "id": 7,
                    "prompt": "Sum it up.",
                    "expected_output": "A sum.",
                    "files": ["evals/files/a.csv", "evals/files/none.csv", "../secret.txt"],
                    "expectations": ["It says 1"],
                    "mood": "good",
                },
                {"id": 8, "prompt": " "},
                {"id": 9, "prompt": "x", "assertions": [{"name": "n", "description": "It is so"}]},
            ],
        },
    )
    got = import_evals(path)
    assert [(c.name, c.criteria, sorted(c.files)) for c in got.cases] == [
        ("eval-7", ("It says 1", "A sum."), ["a.csv"]),
        ("eval-9", ("It is so",), []),
    ]
    told = "\n".join(p.text for p in got.left_out)
    for word in ("none.csv", "../secret.txt", "evals[0].mood", "evals[1] has no prompt"):
        assert word in told


@pytest.mark.parametrize("data", [[], {}, {"evals": 1}])
def test_another_shape_is_an_authoring_error(tmp_path: Path, data: object) -> None:
    with pytest.raises(AuthoringError, match="a list 'evals'"):
        import_evals(evals(tmp_path, data))


def iteration(tmp_path: Path) -> Path:
    root = tmp_path / "iteration-1"
    meta = {
        "eval_id": 3,
        "eval_name": "e",
        "prompt": "p",
        "assertions": [{"name": "a", "description": "It  is so "}],
    }
    for number in (10, 2):
        for side in ("with_skill", "without_skill"):
            folder = root / f"eval-{number}" / side
            (folder / "outputs" / "sub").mkdir(parents=True)
            (folder / "outputs" / "sub" / "a.md").write_text(side)
            (folder / "eval_metadata.json").write_text(json.dumps({**meta, "eval_id": number}))
    return root


def test_an_iteration_is_read_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    runs, left_out = read_iteration(iteration(tmp_path))
    assert [(r.eval_id, r.configuration) for r in runs] == [
        (2, "with_skill"),
        (2, "without_skill"),
        (10, "with_skill"),
        (10, "without_skill"),
    ]
    assert runs[0].assertions == ("It  is so ",)
    assert runs[0].output.files == {"sub/a.md": "with_skill"}
    assert left_out == ()


def test_runs_below_a_configuration_are_read(tmp_path: Path) -> None:
    root = iteration(tmp_path)
    folder = root / "eval-2" / "with_skill"
    for number in (1, 2):
        (folder / f"run-{number}" / "outputs").mkdir(parents=True)
    runs, _ = read_iteration(root)
    assert [r.run for r in runs if r.eval_id == 2 and r.configuration == "with_skill"] == [1, 2]


def test_what_cannot_be_read_is_listed(tmp_path: Path) -> None:
    root = iteration(tmp_path)
    (root / "eval-2/with_skill/eval_metadata.json").unlink()
    (root / "eval-2/without_skill/outputs/x.png").write_bytes(b"\x89PNG\xff")
    (root / "eval-10/with_skill/eval_metadata.json").write_text('{"assertions": [{"name": "a"}, 3]}')
    (root / "eval-10/notes").mkdir()
    runs, left_out = read_iteration(root)
    assert [(r.eval_id, r.configuration) for r in runs] == [(2, "without_skill"), (10, "without_skill")]
    told = "\n".join(map(str, left_out))
    for word in ("no eval_metadata.json", "x.png", "needs a description", "has no outputs/"):
        assert word in told


def test_a_folder_without_evals_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no eval-\* folder"):
        read_iteration(tmp_path)
