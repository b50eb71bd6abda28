import http.client
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
import pytest
from msgspec.structs import replace

from harness.gateway.exchange import Responder
from harness.gateway.lane import Lane
from harness.gateway.pace import PATIENCE_S
from harness.gateway.replay import Replay
from harness.gateway.scripted import ScriptedModel
from harness.gateway.server import Gateway
from harness.gateway.wire import Ended, Recorded, read_wire
from harness.model.scenario import ApiFailure, Subplay, Turn
from tests.gateway.client import Answer, ask, conversation
from tests.gateway.playbooks import playbook, turn

Claude = Callable[..., list[dict[str, object]]]
SUBAGENT = {"x-api-key": "token", "x-claude-code-agent-id": "live"}


def kept(
    n: int, body: object, text: str, status: int = 200, ended: Ended = "complete", agent: str = ""
) -> Recorded:
    return Recorded(
        n=n,
        at_ms=n,
        method="POST",
        path="/v1/messages?beta=true",
        headers={"x-claude-code-agent-id": agent} if agent else {},
        body=body,
        status=status,
        response_headers={"content-type": "application/json"},
        chunks=((1, orjson.dumps({"said": text}).decode()),) if status else (),
        ended=ended,
    )


def said(answer: Answer) -> object:
    return answer.json["said"]


TWO_TURNS = (kept(1, conversation(), "one"), kept(2, conversation("one"), "two"))


def test_each_request_gets_its_recorded_answer(gateway: Gateway) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS))
    assert [said(ask(gateway.url, conversation(*s))) for s in ((), ("one",))] == ["one", "two"]
    assert (lane.failure, lane.difference) == ("", None)


def test_retries_get_their_answers_in_order(gateway: Gateway) -> None:
    gateway.open("token", Replay([kept(1, conversation(), "busy", 529), kept(2, conversation(), "one")]))
    assert [ask(gateway.url, conversation()).status for _ in range(2)] == [529, 200]


def test_a_request_beyond_the_recording_is_a_failure_that_names_it(gateway: Gateway) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS))
    assert ask(gateway.url, conversation("one", "two")).error == (400, "invalid_request_error")
    expected = "no recorded answer for request 1: turn 3 of the main conversation that begins 'the prompt'"
    assert lane.failure == expected


def test_an_answer_is_used_once(gateway: Gateway) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS))
    ask(gateway.url, conversation())
    assert ask(gateway.url, conversation()).status == 400
    assert lane.failure


def test_other_words_of_the_model_are_another_conversation(gateway: Gateway) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS))
    assert ask(gateway.url, conversation("something else")).status == 400
    assert "turn 2 of the main conversation" in lane.failure


def test_a_changed_context_gets_the_answer_and_is_the_first_difference(gateway: Gateway) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS))
    assert said(ask(gateway.url, conversation(system="be better"))) == "one"
    ask(gateway.url, conversation("one", system="be best"))
    assert str(lane.difference) == "request 1 differs at system[0].text: was 'be good', is 'be better'"
    assert lane.failure == ""


def test_a_changed_prompt_is_a_difference_too(gateway: Gateway) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS))
    assert said(ask(gateway.url, conversation(first="another prompt"))) == "one"
    assert lane.difference is not None and lane.difference.path == "messages[0].content[0].text"


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "stop-at-difference"])
def test_a_difference_ends_the_replay_where_asked(gateway: Gateway, strict: bool) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS, strict=strict, stop_at_difference=not strict))
    assert ask(gateway.url, conversation(system="be better")).status == 400
    assert lane.failure.startswith("request 1 differs at system[0].text")


def test_strict_takes_an_equal_conversation(gateway: Gateway) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS, strict=True))
    assert said(ask(gateway.url, conversation())) == "one"
    assert lane.failure == ""


def test_strict_minds_a_date(gateway: Gateway) -> None:
    dated = [kept(1, conversation(system="Today's date is 2026-01-01"), "one")]
    lane = gateway.open("token", Replay(dated, strict=True))
    assert ask(gateway.url, conversation(system="Today's date is 2026-01-02")).status == 400
    assert "2026-01-02" in lane.failure


def test_subagents_are_told_apart_by_their_prompts(gateway: Gateway) -> None:
    exchanges = [kept(n, conversation(first=f"dig {n}"), f"dug {n}", agent=f"old{n}") for n in (1, 2)]
    gateway.open("token", Replay(exchanges))
    got = [ask(gateway.url, conversation(first=f"dig {n}"), headers=SUBAGENT) for n in (2, 1)]
    assert [said(answer) for answer in got] == ["dug 2", "dug 1"]


def test_a_subagent_never_gets_an_answer_of_the_main_loop(gateway: Gateway) -> None:
    lane = gateway.open("token", Replay(TWO_TURNS))
    assert ask(gateway.url, conversation(), headers=SUBAGENT).status == 400
    assert "turn 1 of a subagent" in lane.failure


def test_paths_of_the_old_world_become_the_new_ones(gateway: Gateway) -> None:
    exchanges = [kept(1, conversation(first="work in /old/w"), "read /old/w/a")]
    lane = gateway.open("token", Replay(exchanges, paths=[("/old/w", "/new/w")]))
    assert said(ask(gateway.url, conversation(first="work in /new/w"))) == "read /new/w/a"
    assert lane.difference is None


@pytest.mark.parametrize(
    ("status", "ended", "expected"),
    [
        (200, "cut", http.client.IncompleteRead),
        (0, "reset", ConnectionResetError),
        (0, "gone", TimeoutError),
        (0, "unfinished", TimeoutError),
    ],
)
def test_what_broke_breaks_again(
    gateway: Gateway, status: int, ended: Ended, expected: type[Exception]
) -> None:
    gateway.open("token", Replay([kept(1, conversation(), "x", status, ended)]))
    with pytest.raises(expected):
        ask(gateway.url, conversation(), timeout_s=0.3)


def test_beyond_the_first_difference_another_model_goes_on(gateway: Gateway) -> None:
    live = ScriptedModel(playbook(turn("live one"), turn("live two")), {})
    lane = gateway.open("token", Replay(TWO_TURNS, stop_at_difference=True, beyond=live))
    assert said(ask(gateway.url, conversation())) == "one"
    changed = ask(gateway.url, conversation("one", system="be better"))
    assert changed.json["content"] == [{"type": "text", "text": "live one"}]
    assert lane.failure == "" and lane.difference is not None


AGENT = {"description": "d", "prompt": "DIG in {{world}}", "run_in_background": False}
BUSY = Turn(failure=ApiFailure(status=529, type="overloaded_error", message="busy", times=1))
BOOK = playbook(
    turn("Look.", ("Bash", {"command": "echo {{world}}; date; ls -la ."}), ("Agent", AGENT)),
    BUSY,
    turn("", ("Write", {"file_path": "{{world}}/made.txt", "content": "made"})),
    turn("All done."),
    subagents=(Subplay(match="DIG", turns=(turn("", ("Bash", {"command": "pwd"})), turn("dug"))),),
)


def run(
    claude: Claude, root: Path, place: str, model: Responder, *, wire: Path | None = None
) -> tuple[Lane, object]:
    plugin = root / "plugin"
    with Gateway() as gateway:
        lane = gateway.open("token", model, wire=wire)
        events = claude(gateway.url, "token", "--plugin-dir", str(plugin), "--", "go", place=place)
    return lane, events[-1]["result"]


def write_plugin(root: Path, said: str) -> None:
    for folder in ("hooks", ".claude-plugin"):
        (root / "plugin" / folder).mkdir(parents=True, exist_ok=True)
    (root / "plugin" / ".claude-plugin" / "plugin.json").write_text('{"name": "probe", "version": "1.0.0"}')
    hook: Sequence[object] = [{"hooks": [{"type": "command", "command": f"echo {said}"}]}]
    (root / "plugin" / "hooks" / "hooks.json").write_bytes(orjson.dumps({"hooks": {"SessionStart": hook}}))


def test_the_real_claude_replays_a_run_in_another_place(claude: Claude, tmp_path: Path) -> None:
    write_plugin(tmp_path, "hook-words")
    old, new = tmp_path / "first", tmp_path / "second"
    lane, result = run(
        claude, tmp_path, "first", ScriptedModel(BOOK, {"world": f"{old}/world"}), wire=tmp_path / "wire"
    )
    assert (lane.failure, result) == ("", "All done.")
    assert "hook-words" in lane.first_request
    replay = Replay(read_wire(tmp_path / "wire"), paths=[(str(old), str(new))])
    again, result = run(claude, tmp_path, "second", replay)
    assert (again.failure, again.difference, result) == ("", None, "All done.")
    assert (new / "world" / "made.txt").read_text() == "made"
    assert again.requests == lane.requests


def test_a_changed_hook_is_the_first_difference(claude: Claude, tmp_path: Path) -> None:
    write_plugin(tmp_path, "hook-words")
    model = ScriptedModel(playbook(turn("done")), {})
    run(claude, tmp_path, "first", model, wire=tmp_path / "wire")
    write_plugin(tmp_path, "hook-sentences")
    paths = [(str(tmp_path / "first"), str(tmp_path / "second"))]
    again, result = run(claude, tmp_path, "second", Replay(read_wire(tmp_path / "wire"), paths=paths))
    assert (again.failure, result) == ("", "done")
    assert again.difference is not None
    assert "hook-words" in again.difference.old and "hook-sentences" in again.difference.new


def named(agent: str, *said: object) -> object:
    """A main conversation in which an agent was started, and then its id was used."""
    messages: list[object] = [{"role": "user", "content": "the prompt"}]
    for content in said:
        messages.append({"role": "assistant", "content": [content]})
        messages.append({"role": "user", "content": [{"type": "text", "text": f"started, agentId: {agent}"}]})
    return {"model": "m-1", "messages": messages}


def test_an_id_that_was_drawn_anew_is_the_one_that_answers_use() -> None:
    start: dict[str, object] = {"type": "text", "text": "start"}

    def use(agent: str) -> dict[str, object]:
        return {"type": "text", "text": f"stop {agent}"}

    exchanges = [
        kept(1, named("a1b2c3d4"), "start"),
        kept(2, named("a1b2c3d4", start), "stop a1b2c3d4"),
        kept(3, named("a1b2c3d4", start, use("a1b2c3d4")), "done"),
    ]
    with Gateway() as running:
        lane = running.open("token", Replay(exchanges))
        ask(running.url, named("ffff0000"))
        assert said(ask(running.url, named("ffff0000", start))) == "stop ffff0000"
        assert said(ask(running.url, named("ffff0000", start, use("ffff0000")))) == "done"
    assert (lane.failure, lane.difference) == ("", None)


def timed(n: int, at_ms: int, took_ms: int, body: object, agent: str = "") -> Recorded:
    made = kept(n, body, f"answer {n}", agent=agent)
    return replace(made, at_ms=at_ms, chunks=((took_ms, made.text),))


@pytest.mark.parametrize(("ended_ms", "last"), [(50, "subagent"), (5, "main")])
def test_conversations_side_by_side_go_on_in_the_recorded_order(
    tmp_path: Path, ended_ms: int, last: str
) -> None:
    """The main conversation's second request came 20 ms after the beginning; the subagent ended before or after."""
    exchanges = [
        timed(1, 0, 10, conversation()),
        timed(2, 1, ended_ms - 1, conversation(first="dig"), agent="old"),
        timed(3, 20, 1, conversation("answer 1")),
    ]
    wire = tmp_path / "wire"
    with Gateway() as running:
        running.open("token", Replay(exchanges), wire=wire)

        def main() -> None:
            ask(running.url, conversation())
            if last == "subagent":
                time.sleep(0.3)
            ask(running.url, conversation("answer 1"))

        def subagent() -> None:
            if last == "main":
                time.sleep(0.3)
            ask(running.url, conversation(first="dig"), headers=SUBAGENT)

        threads = [threading.Thread(target=t) for t in (main, subagent)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    ended = ["subagent" if "x-claude-code-agent-id" in e.headers else "main" for e in read_wire(wire)]
    assert ended[-1] == last


NOTICE = (
    "[SYSTEM NOTIFICATION]<task-notification><task-id>old1234</task-id><tool-use-id>toolu_x</tool-use-id>"
    "<result>dug</result></task-notification>"
)


def main_talk(*said: str, told: int = 0) -> dict[str, object]:
    """A conversation in which the end of a task is told after so many answers (0: not yet)."""
    body = conversation(*said)
    assert isinstance(body, dict)
    if told:
        body["messages"].insert(2 * told, {"role": "system", "content": NOTICE})
    return body


def raced() -> list[Recorded]:
    """The subagent ended while a tool of the main conversation was on, so that its next request tells it."""
    return [
        timed(1, 0, 1, conversation()),
        replace(timed(2, 2, 1, main_talk("answer 1")), chunks=((1, '{"type":"tool_use","said":"call"}'),)),
        timed(3, 2, 40, conversation(first="dig"), agent="old1234"),
        timed(4, 60, 1, main_talk("answer 1", "call", told=2)),
    ]


def test_an_answer_waits_for_the_end_that_the_next_request_told() -> None:
    ended: list[str] = []
    heard: list[int] = [0]
    with Gateway() as running:
        running.open("token", Replay(raced(), heard=lambda _: heard[0]))
        ask(running.url, conversation())

        def main() -> None:
            ask(running.url, main_talk("answer 1"))
            ended.append("main")

        thread = threading.Thread(target=main)
        thread.start()
        ask(running.url, conversation(first="dig"), headers=SUBAGENT)
        ended.append("subagent")
        time.sleep(0.2)
        ended.append("heard")
        heard[0] = 1
        thread.join()
    assert ended == ["subagent", "heard", "main"]


def replay_to_the_end(replay: Replay, last: object) -> Lane:
    with Gateway() as running:
        lane = running.open("token", replay)
        ask(running.url, conversation())
        thread = threading.Thread(target=ask, args=(running.url, main_talk("answer 1")))
        thread.start()
        ask(running.url, conversation(first="dig"), headers=SUBAGENT)
        thread.join()
        assert said(ask(running.url, last)) == "answer 4"
    return lane


@pytest.mark.parametrize("told", [0, 1], ids=["later", "earlier"])
def test_where_the_end_of_a_task_is_told_is_no_difference(told: int) -> None:
    replay = Replay(raced(), heard=lambda _: 1)
    lane = replay_to_the_end(replay, main_talk("answer 1", "call", told=told))
    assert (lane.difference, replay.moved) == (None, [4])


def test_another_difference_beside_it_is_one() -> None:
    other = main_talk("answer 1", "call") | {"model": "m-2"}
    lane = replay_to_the_end(Replay(raced(), heard=lambda _: 1), other)
    assert lane.difference is not None and lane.difference.path == "model"


def test_the_end_of_a_task_in_other_words_is_a_difference() -> None:
    other = orjson.loads(orjson.dumps(main_talk("answer 1", "call", told=2)).replace(b"dug", b"failed"))
    lane = replay_to_the_end(Replay(raced(), heard=lambda _: 1), other)
    assert lane.difference is not None and "failed" in lane.difference.new


def test_strict_minds_where_the_end_of_a_task_is_told() -> None:
    with Gateway() as running:
        lane = running.open("token", Replay(raced()[3:], strict=True))
        assert ask(running.url, main_talk("answer 1", "call", told=1)).status == 400
    assert lane.failure.startswith("request 4 differs")


def test_a_turn_that_only_the_end_of_a_task_made_has_no_answer_and_is_told_so() -> None:
    with Gateway() as running:
        lane = running.open("token", Replay(TWO_TURNS))
        assert ask(running.url, main_talk("one", "two", told=2)).status == 400
    assert lane.failure.endswith("it tells the end of a background task, which came at another turn then")


def test_a_tool_that_took_its_time_then_has_it_now() -> None:
    """The subagent's second request came seconds after its first answer, beyond all patience."""
    took_ms = int(PATIENCE_S * 1000) + 400
    exchanges = [
        timed(1, 0, 1, conversation()),
        timed(2, 2, 1, conversation(first="dig"), agent="old"),
        timed(3, took_ms, 1, conversation("answer 2", first="dig"), agent="old"),
        timed(4, took_ms + 50, 1, conversation("answer 1")),
    ]
    ended: list[str] = []
    with Gateway() as running:
        running.open("token", Replay(exchanges))
        ask(running.url, conversation())
        ask(running.url, conversation(first="dig"), headers=SUBAGENT)

        def main() -> None:
            ask(running.url, conversation("answer 1"))
            ended.append("main")

        thread = threading.Thread(target=main)
        thread.start()
        time.sleep(PATIENCE_S + 0.2)
        ask(running.url, conversation("answer 2", first="dig"), headers=SUBAGENT)
        ended.append("subagent")
        thread.join()
    assert ended == ["subagent", "main"]


def test_what_never_comes_holds_nothing_up_for_ever() -> None:
    exchanges = [timed(1, 0, 1, conversation(first="dig"), agent="old"), timed(2, 5, 1, conversation())]
    began = time.monotonic()
    with Gateway() as running:
        running.open("token", Replay(exchanges))
        assert said(ask(running.url, conversation())) == "answer 2"
    assert PATIENCE_S <= time.monotonic() - began < PATIENCE_S + 5
