import pytest

from harness.gateway.canonical import Moved, canonical_assistants, canonical_body, canonical_text, strict_body

MOVED = Moved([("/tmp/run-1/world", "/tmp/run-22/world"), ("/tmp/run-1", "/tmp/run-22")])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("see /tmp/run-1/world/a.py", "see /tmp/run-22/world/a.py"),
        ("TMP=/tmp/run-1.", "TMP=/tmp/run-22."),
        ("/c/projects/-tmp-run-1-world/memory", "/c/projects/-tmp-run-22-world/memory"),
        ("/tmp/run-10/world", "/tmp/run-10/world"),
    ],
    ids=["below", "itself", "as-a-folder-name", "another-path"],
)
def test_old_paths_become_new_ones(old: str, new: str) -> None:
    assert MOVED.text(old) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cat /world/a", "cat /tmp/w/world/a"),
        ("ls '/world'", "ls '/tmp/w/world'"),
        ("projects/-world/x", "projects/-tmp-w-world/x"),
        ("hello-world", "hello-world"),
        ("src/world/a ../world", "src/world/a ../world"),
        ("/worldwide", "/worldwide"),
    ],
    ids=["below", "quoted", "as-a-folder-name", "word", "part-of-a-path", "longer"],
)
def test_a_short_path_is_found_where_it_begins(old: str, new: str) -> None:
    assert Moved([("/world", "/tmp/w/world")]).text(old) == new


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Today's date is 2026-11-30.", "Today's date is 2027-01-02."),
        ("-rw-r--r-- 1 u u 5 Nov 30 17:20 a", "-rw-r--r-- 1 u u 5 Dec  1 09:01 a"),
        ("at 2026-11-30T10:00:00.123Z", "at 2026-12-01 11:22:33+01:00"),
        ("x-anthropic-billing-header: cc_version=2.1.332.bd3;", "x-anthropic-billing-header: cc_version=3;"),
        ("agentId: a1b2", "agentId: ffff"),
        ("id eab75d51-d9d7-4a26-bfd2-d00ca7d178b5", "id ae1de622-0d8b-4577-b69f-e9208e0b5acf"),
        ("<total_tokens>15000000 tokens left</total_tokens>", "<total_tokens>7 tokens left</total_tokens>"),
        (
            "USD budget: $0.0017744100000000001/$0.5; $0.49822559 remaining",
            "USD budget: $0.00194/$0.5; $0.498 remaining",
        ),
        ("3 passed in 0.12s", "3 passed in 1.50s"),
        ("[main (root-commit) abc1234] x", "[main (root-commit) 99ffee0] x"),
        ("key sk-ant-api03-aaaaaaaa", "key [removed]"),
    ],
)
def test_noise_is_equal(one: str, other: str) -> None:
    assert canonical_text(one, Moved([])) == canonical_text(other, Moved([]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("date: 2024-01-15", "date: 2024-01-16"),
        ("ADR-0007 applies", "ADR-0003 applies"),
        ("exit code 1", "exit code 2"),
        ("USD budget: $0.1/$0.5; $0.4 remaining", "USD budget: $0.1/$0.7; $0.6 remaining"),
    ],
)
def test_content_is_not_noise(one: str, other: str) -> None:
    assert canonical_text(one, Moved([])) != canonical_text(other, Moved([]))


def body(*results: str, content: object = "hi", **fields: object) -> dict[str, object]:
    blocks = [{"type": "tool_result", "tool_use_id": r, "content": f"of {r}"} for r in results]
    return {
        "messages": [{"role": "user", "content": content}, {"role": "user", "content": blocks}],
        **fields,
    }


def test_the_order_of_parallel_results_does_not_matter() -> None:
    assert canonical_body(body("a", "b"), MOVED) == canonical_body(body("b", "a"), MOVED)


def test_a_lone_text_is_the_same_as_a_string_or_a_block() -> None:
    block = [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]
    assert canonical_body(body(content="hi"), MOVED) == canonical_body(body(content=block), MOVED)


def test_who_asked_and_how_to_send_the_answer_do_not_matter() -> None:
    one, other = body(metadata={"user_id": "1"}, stream=True), body(metadata={"user_id": "2"}, stream=False)
    assert canonical_body(one, MOVED) == canonical_body(other, MOVED)


def test_strict_leaves_only_the_user_id_out() -> None:
    one = body("a", "b", metadata={"user_id": "1", "x": 1})
    assert strict_body(one) == strict_body(body("a", "b", metadata={"user_id": "2", "x": 1}))
    assert strict_body(one) != strict_body(body("b", "a", metadata={"user_id": "1", "x": 1}))


def test_thinking_is_no_part_of_what_was_said() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    said = {"type": "text", "text": "x"}
    with_it = {"messages": [{"role": "assistant", "content": [thought, said]}]}
    assert canonical_assistants(with_it, MOVED) == [[said]]
