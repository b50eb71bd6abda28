from pathlib import Path

from harness.repro.heard import Heard

END = b'{"type":"system","subtype":"task_notification","task_id":"a1","tool_use_id":"toolu_1"}\n'


def test_nothing_is_heard_of_a_stream_that_is_not_there(tmp_path: Path) -> None:
    assert Heard(tmp_path / "stream.jsonl")("toolu_1") == 0


def test_each_end_counts_once_however_the_stream_grows(tmp_path: Path) -> None:
    stream = tmp_path / "stream.jsonl"
    heard = Heard(stream)
    found = []
    for piece in (END[:40], END[40:], b"", END + END[:9]):
        with stream.open("ab") as file:
            file.write(piece)
        found.append(heard("toolu_1"))
    assert found == [0, 1, 1, 2]


def test_only_ends_of_that_call_count(tmp_path: Path) -> None:
    stream = tmp_path / "stream.jsonl"
    other = END.replace(b"toolu_1", b"toolu_2")
    said = b'{"type":"assistant","text":"\\"task_notification\\" toolu_1"}\n{"task_notification"\n'
    stream.write_bytes(other + said)
    assert Heard(stream)("toolu_1") == 0
