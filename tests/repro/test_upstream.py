"""A run on a real model, through an API that is slow, fails and breaks off, is had again without it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from harness.engine.run_cell import WIRE
from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import Gateway
from harness.gateway.wire import read_wire
from harness.loaders.suite import load_suites
from harness.results.folder import ROW_FILE
from harness.results.latest import iterate
from harness.results.record import TABLE
from tests.repro.lab import Lab
from tests.repro.upstream import Troubled

KEY = "sk-ant-api03-planted-and-never-to-be-seen"


@contextmanager
def api(lab: Lab, *troubles: str, playbook: str = "parallel") -> Iterator[dict[str, str]]:
    """What leads a run to the troubled API, where a playbook is played."""
    (suite,) = load_suites(lab.root, ["demo"])
    variables = {"world": "/world", "home": "", "plugin": "", "braces": ""}
    with Gateway() as upstream:
        model = ScriptedModel(suite.scenarios[0].playbooks[playbook], variables)
        upstream.open(KEY, Troubled(model, troubles))
        yield {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_UPSTREAM": upstream.url}


@pytest.mark.parametrize(
    ("troubles", "recorded"),
    [
        ((), [(200, "complete")] * 3),
        (
            ("busy", "", "limited"),
            [(529, "complete"), (200, "complete"), (429, "complete"), *[(200, "complete")] * 2],
        ),
        (("reset",), [(0, "reset"), *[(200, "complete")] * 3]),
    ],
    ids=["slow", "failing", "reset"],
)
def test_a_run_through_a_troubled_api_is_had_again_without_it(
    lab: Lab, troubles: tuple[str, ...], recorded: list[tuple[int, str]]
) -> None:
    with api(lab, *troubles) as env:
        (run_id,) = lab.run("haiku", env=env)
    kept = [(e.status, e.ended) for e in read_wire(lab.results / "runs" / run_id / WIRE)]
    assert kept == recorded
    again = lab.again(run_id)
    assert (again.code, again.how, again.now.verdict, again.row.model) == (0, "replay", "pass", "haiku")


def test_a_run_that_the_api_turns_away_is_started_again_when_it_may_and_is_no_result(lab: Lab) -> None:
    with api(lab, "away", "away") as env:
        began = time.monotonic()
        lab.run("haiku", env=env)
    rows = [(row.status, row.pass_, row.attempt) for row in iterate(lab.results / TABLE)]
    assert rows == [("completed", "pass", "1")]
    assert time.monotonic() - began > 4.0
    turned_away = [p for p in (lab.results / "runs").iterdir() if not (p / ROW_FILE).is_file()]
    assert len(turned_away) == 2


def test_a_stream_that_was_cut_is_cut_again(lab: Lab) -> None:
    with api(lab, "", "cut", "cut", "cut") as env:
        (run_id,) = lab.run("haiku", env=env)
    assert "cut" in [e.ended for e in read_wire(lab.results / "runs" / run_id / WIRE)]
    again = lab.again(run_id)
    assert (again.differs, again.failure, again.same_verdict) == (False, "", True)


def test_the_key_is_in_nothing_that_is_kept(lab: Lab) -> None:
    with api(lab) as env:
        lab.run("haiku", env=env)
    files = [p for p in lab.results.rglob("*") if p.is_file()]
    assert [p for p in files if KEY.encode() in p.read_bytes()] == []


def test_a_changed_plugin_is_replayed_to_the_change_and_then_asks_the_model(lab: Lab) -> None:
    with api(lab) as env:
        (run_id,) = lab.run("haiku", env=env)
        lab.edit("fixtures/plugins/demo/told", "look there", "look there first")
        again = lab.again(run_id, plugin=lab.root / "fixtures/plugins/demo", live=True, env=env)
        asked = again.went_live.partition(" differs")[0]
        assert (again.how, asked, again.row.model) == ("replay, then live", "request 1", "haiku")


def test_live_needs_the_credential_that_a_replay_does_without(lab: Lab) -> None:
    with api(lab) as env:
        (run_id,) = lab.run("haiku", env=env)
        again = lab.again(run_id, live=True, env=env)
        assert (again.how, again.code, again.row.wire) == ("live", 0, "record")


def test_subagents_that_began_while_an_answer_streamed_end_at_the_same_turn(lab: Lab) -> None:
    with api(lab, playbook="race") as env:
        (run_id,) = lab.run("haiku", env=env)
    again = lab.again(run_id)
    assert (again.difference, again.failure, again.notes, again.code) == (None, "", (), 0)
