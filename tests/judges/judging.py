"""Scripted judges for the tests, each a plain Ask."""

import orjson

from harness.judges.preference import DIMENSIONS
from harness.model.judge import Ask, JudgeReply, JudgeRequest


def verdict(better: str, degree: str = "clear") -> str:
    """A reply that finds for one side in all dimensions."""
    degree = "none" if better == "EQUAL" else degree
    found = {n: {"better": better, "degree": degree, "basis": "a.md says so"} for n in DIMENSIONS}
    return orjson.dumps({"dimensions": found, "reasoning": f"for {better}"}).decode()


class Scripted:
    """Answers with the given replies in order, the last one again and again; remembers what it was asked."""

    def __init__(self, *replies: str | JudgeReply) -> None:
        self.replies = list(replies)
        self.asked: list[JudgeRequest] = []

    def __call__(self, request: JudgeRequest) -> JudgeReply:
        self.asked.append(request)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return JudgeReply(raw=reply) if isinstance(reply, str) else reply


def prefers(marker: str) -> Ask:
    """A judge that goes by content: the output that holds the marker is better."""

    def ask(request: JudgeRequest) -> JudgeReply:
        has = {s: any(marker in d.text for d in request.documents if d.label.startswith(s)) for s in "AB"}
        side = "EQUAL" if has["A"] == has["B"] else "A" if has["A"] else "B"
        return JudgeReply(raw=verdict(side).replace("a.md", f"the word {marker}"))

    return ask
