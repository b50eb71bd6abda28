"""What somebody who reads a repetition should know beside what differs."""

from harness.claude.binary import Claude
from harness.gateway.replay import Replay
from harness.repro.outcome import Outcome
from harness.repro.past import Past


def other_claude(past: Past, claude: Claude) -> tuple[str, ...]:
    then = past.invocation.claude_version
    if claude.version == then:
        return ()
    return (f"it ran with claude {then}, this is {claude.version}: what differs may come from there",)


def told_elsewhere(replay: Replay | None) -> tuple[str, ...]:
    if replay is None or not replay.moved:
        return ()
    told = f"request {replay.moved[0]} tells the end of a background task earlier or later than then"
    return (f"{told}, with the same words: not counted as a difference",)


def judged_anew(past: Past, then: Outcome) -> tuple[str, ...]:
    if past.row is None or (past.row.pass_, past.row.status) == (then.verdict, then.status):
        return ()
    return (f"its row says {past.row.pass_} ({past.row.status}); today's checkers say {then.verdict}",)
