from collections.abc import Callable

import pytest

from harness.gateway.judge import ScriptedJudge
from harness.gateway.server import Gateway
from tests.gateway.client import ask, conversation

Claude = Callable[..., list[dict[str, object]]]
SCHEMA = '{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}'
JUDGE = ("--tools", "", "--json-schema", SCHEMA, "--setting-sources", "", "--strict-mcp-config", "judge this")
FENCED = '```json\n{"ok": true}\n```'


@pytest.mark.parametrize(
    ("reply", "structured"),
    [
        ({"ok": True}, {"ok": True}),
        ({"structured": {"ok": False}}, {"ok": False}),
        ({"text": FENCED}, None),
        ([{"text": "hm"}, {"ok": True}], {"ok": True}),
        ({"wrong": 1}, None),
    ],
    ids=["bare", "named", "text-only", "after-a-reminder", "off-schema"],
)
def test_the_real_claude_gets_the_reply(
    gateway: Gateway, claude: Claude, reply: dict[str, object] | list[dict[str, object]], structured: object
) -> None:
    lane = gateway.open("judge", ScriptedJudge([reply]))
    result = claude(gateway.url, "judge", *JUDGE)[-1]
    assert (lane.failure, result.get("structured_output")) == ("", structured)


def test_each_process_gets_the_next_reply_and_its_retries_the_same(gateway: Gateway) -> None:
    gateway.open("token", ScriptedJudge([{"text": "one"}, {"text": "two"}]))
    said = [
        ask(gateway.url, conversation(), headers={"x-api-key": "token", "x-claude-code-session-id": session})
        for session in ("a", "b", "a")
    ]
    assert [answer.json["content"] for answer in said] == [
        [{"type": "text", "text": text}] for text in ("one", "two", "one")
    ]


def test_replies_that_run_out_are_a_failure(gateway: Gateway) -> None:
    lane = gateway.open("token", ScriptedJudge([]))
    assert ask(gateway.url, conversation()).status == 400
    assert lane.failure == "the judge has no reply 1: it holds 0"


def test_an_error_reply_is_an_api_error(gateway: Gateway) -> None:
    gateway.open("token", ScriptedJudge([{"error": {"status": 529, "type": "overloaded_error"}}]))
    assert ask(gateway.url, conversation()).error == (529, "overloaded_error")
