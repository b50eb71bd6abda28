"""Seed and skill as the real claude takes them up: what stands in its first request."""

import shutil
from pathlib import Path

import orjson

from harness.gateway.exchange import Reply, Request
from harness.gateway.lane import Lane
from harness.gateway.scripted import ScriptedModel
from harness.model.case import SeedTurn
from harness.model.scenario import Playbook, Turn
from harness.skills import discover
from harness.skills.arms import install_personal, install_plugin, prepare_arms
from harness.skills.session import plant_session, session_lines
from tests.skills.real import Place, run_claude

SID = "7f1b6f0e-1111-4222-8333-444455556666"
PROMPT = "Go on from there.\n\n  Byte for byte, é."
SEED = (
    SeedTurn(role="user", text="First.\n\n```md\n**User:** no turn\n```", line=1),
    SeedTurn(role="assistant", text="One.\n\nTwo é.", line=2),
    SeedTurn(role="user", text="Second.", line=3),
    SeedTurn(role="assistant", text="Answer two.", line=4),
)


class Watching(ScriptedModel):
    """Keeps the first request for a message."""

    def __init__(self) -> None:
        turns = (Turn(text="done"),)
        playbook = Playbook(name="p", kind="p", note="", path=Path("p.yaml"), turns=turns)
        super().__init__(playbook, {})
        self.first: dict[str, object] = {}

    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None:
        if not self.first and isinstance(request.json, dict):
            self.first = dict(request.json)
        await super().answer(request, reply, lane)


def first_request(root: Path, *arguments: str) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The first request of a run, and the events of its stream."""
    model = Watching()
    events = run_claude(Place.below(root), model, arguments, PROMPT)
    return model.first, events


def spoken(request: dict[str, object]) -> list[tuple[str, str]]:
    """(role, text) of user and assistant messages, without what the CLI puts in by itself."""
    messages = request["messages"]
    assert isinstance(messages, list)
    found = []
    for message in messages:
        content = message["content"]
        blocks = [{"text": content}] if isinstance(content, str) else content
        texts = [b["text"] for b in blocks if not b["text"].startswith("<system-reminder>")]
        found += [(message["role"], t) for t in texts if message["role"] != "system"]
    return found


def test_the_seed_comes_before_the_prompt_with_its_roles_in_order(tmp_path: Path) -> None:
    config, cwd = tmp_path / "config", str(tmp_path / "world")
    resume = plant_session(SEED, config_dir=config, cwd=cwd, session_id=SID, version="2.1.332")
    request, events = first_request(tmp_path, *resume)
    assert spoken(request) == [(t.role, t.text) for t in SEED] + [("user", PROMPT)]
    assert {e["session_id"] for e in events if e.get("subtype") == "init"} == {SID}


def test_without_a_seed_there_is_no_session(tmp_path: Path) -> None:
    assert plant_session((), config_dir=tmp_path, cwd="/w", session_id=SID, version="1") == ()
    assert list(tmp_path.iterdir()) == []


def test_the_session_is_the_same_every_time() -> None:
    first, again = (session_lines(SEED, SID, "/world", "2.1.332") for _ in range(2))
    assert first == again
    lines = [orjson.loads(line) for line in first.split(b"\n")[:-1]]
    assert [line["parentUuid"] for line in lines] == [None, *(line["uuid"] for line in lines[:-1])]


def _skills(events: list[dict[str, object]]) -> list[str]:
    names = next(e["skills"] for e in events if e.get("subtype") == "init")
    assert isinstance(names, list)
    return [n for n in names if "change-review" in n]


def test_a_personal_skill_is_listed_by_its_bare_name_and_the_baseline_has_none(
    tree: Path, tmp_path: Path
) -> None:
    arms = prepare_arms(discover(tree).skills[0], tree, None, tmp_path / "arms")
    requests, listed = [], []
    for arm in arms:
        config = tmp_path / "config"  # the system prompt holds its path, so it is the same for every arm
        shutil.rmtree(config, ignore_errors=True)
        install_personal(arm.skill, config)
        request, events = first_request(tmp_path)
        requests.append(request)
        listed.append(_skills(events))
    assert listed == [[], ["change-review"]]
    texts = [orjson.dumps(r["messages"]).decode() for r in requests]
    assert ["- change-review: Reviews a change." in t for t in texts] == [False, True]
    assert texts[1].replace("- change-review: Reviews a change.\\n", "") == texts[0]
    assert requests[0]["system"] == requests[1]["system"]
    assert requests[0]["tools"] == requests[1]["tools"]
    assert spoken(requests[0])[-1] == spoken(requests[1])[-1] == ("user", PROMPT)
    assert list((tmp_path / "world").iterdir()) == []


def test_a_skill_in_a_plugin_is_listed_under_the_plugins_name(tree: Path, tmp_path: Path) -> None:
    arm = prepare_arms(discover(tree).skills[0], tree, None, tmp_path / "arms")[-1]
    name = install_plugin(arm, "team", tmp_path / "plugin")
    _, events = first_request(tmp_path, f"--plugin-dir={tmp_path / 'plugin'}")
    assert _skills(events) == [name] == ["team:change-review"]
