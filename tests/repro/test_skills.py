"""Runs of a skill's cases and queries had again on the real claude: every arm, from what was kept of it."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.errors import UserError
from harness.repro.again import reproduce
from harness.repro.bundle import make_bundle
from harness.repro.outcome import CannotReplayError, Reproduced, Request
from harness.repro.past import open_past
from harness.results.folder import INPUTS
from harness.results.row_codec import read_rows
from tests.engine.conftest import clean_env
from tests.engine.test_skills import commit, copy_tree, evaluate

SKILL = "review/change-review"
CASE = f"tests/skills/{SKILL}/pager-drops-last-page"


@dataclass(frozen=True, slots=True)
class Tree:
    root: Path
    ids: dict[tuple[str, str], str]
    """Run ids by scenario and arm."""

    @property
    def results(self) -> Path:
        return self.root.parent / "results"

    def again(self, target: str, results: Path | None = None, plugin: Path | None = None) -> Reproduced:
        request = Request(target=target, results=results or self.results, plugin=plugin)
        return reproduce(request, root=self.root.parent, environ=clean_env(self.root.parent / "home"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    place = tmp_path_factory.mktemp("repro-skills")
    root = copy_tree(place / "tree")
    queries = root / f"tests/skills/{SKILL}/trigger_eval.json"
    queries.write_text(json.dumps(json.loads(queries.read_bytes())[1:3]))
    commit(root)
    done = evaluate(root, place / "home", "--skill", SKILL, "--jobs", "2")
    assert done.out, done.err
    rows = read_rows(place / "results/results.tsv").rows
    return Tree(root, {(r.scenario, r.arm): r.run_id for r in rows})


PAGER = "pager-drops-last-page"
RUNS = [(PAGER, "baseline"), (PAGER, "old"), (PAGER, "new"), ("trigger-01", "new"), ("trigger-02", "new")]


@pytest.mark.parametrize("run", RUNS, ids="-".join)
def test_a_run_of_any_arm_comes_to_the_same(tree: Tree, run: tuple[str, str]) -> None:
    again = tree.again(tree.ids[run])
    assert (again.code, again.differs, again.failure, again.notes) == (0, False, "", ())


def test_the_gate_is_run_again_in_the_new_world(tree: Tree) -> None:
    again = tree.again(tree.ids[PAGER, "baseline"])
    assert (again.then.reason, again.now.reason) == ("gate red: line 13: exit 1; line 14: exit 1",) * 2


def test_a_bundle_of_an_arm_needs_no_tree(tree: Tree, tmp_path: Path) -> None:
    file = tmp_path / "old.tar.zst"
    past = open_past(tree.ids[PAGER, "old"], tree.results, tmp_path)
    make_bundle(past, file, root=tmp_path, environ=clean_env(tmp_path))
    assert tree.again(str(file), results=tmp_path / "none").code == 0


def test_a_changed_skill_shows_what_the_model_would_have_seen(tree: Tree, tmp_path: Path) -> None:
    skill = tmp_path / "change-review"
    shutil.copytree(tree.root / f"skills/{SKILL}", skill)
    text = (skill / "SKILL.md").read_text()
    (skill / "SKILL.md").write_text(text.replace("Reviews a change", "Looks at a change"))
    again = tree.again(tree.ids[PAGER, "new"], plugin=skill)
    assert again.difference is not None and again.difference.request == 1
    assert "+- change-review: Looks at a change" in again.seen


@pytest.mark.parametrize(
    ("arm", "folder", "told"),
    [
        ("baseline", f"skills/{SKILL}", "has no skill"),
        ("new", "skills/settled-notes", "is another skill than change-review"),
        ("new", "tests", "has no SKILL.md"),
    ],
)
def test_what_is_not_the_skill_is_refused(tree: Tree, arm: str, folder: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        tree.again(tree.ids[PAGER, arm], plugin=tree.root / folder)


def test_a_run_of_which_nothing_was_kept_is_refused_with_the_way_out(tree: Tree, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(tree.results, results, ignore=shutil.ignore_patterns(INPUTS))
    with pytest.raises(CannotReplayError, match=r"harness eval --skills ROOT --skill review/change-review"):
        tree.again(tree.ids[PAGER, "new"], results=results)


def test_kept_inputs_that_were_meddled_with_are_refused(tree: Tree, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(tree.results, results)
    for index in (results / INPUTS).glob("*.json"):
        index.write_text(index.read_text().replace(SKILL, "../../x"))
    with pytest.raises(CannotReplayError, match="a name is none"):
        tree.again(tree.ids[PAGER, "new"], results=results)


@pytest.fixture
def changed(tree: Tree) -> Iterator[Tree]:
    """The tree with another case, fixture and skill, as long as a test lasts."""
    files = (f"{CASE}/case.md", f"{CASE}/fixture/change.diff", f"skills/{SKILL}/SKILL.md")
    before = {tree.root / file: (tree.root / file).read_text() for file in files}
    for path, text in before.items():
        path.write_text(f"{text}\n- And it is said plainly.\n")
    yield tree
    for path, text in before.items():
        path.write_text(text)


def test_it_is_had_again_as_it_was_when_the_tree_has_changed(changed: Tree) -> None:
    again = changed.again(changed.ids[PAGER, "new"])
    assert again.code == 0
    assert [note.split(" since;")[0] for note in again.notes] == [
        f"the case {SKILL}/{PAGER} has changed",
        "the skill has changed",
    ]
