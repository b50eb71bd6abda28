"""Axis b: whether the arm acted on, or wrote, the right decision rather than a merely plausible one."""

from harness.checks.citations import Citation, cited
from harness.checks.files import WorldView, holds
from harness.checks.new_adr import written
from harness.checks.rejection import rejects
from harness.model.change import Change
from harness.model.check import Evidence, Finding
from harness.model.scenario import FileRule, RetrievalExpectation
from harness.model.transcript import Transcript

__all__ = ["retrieval", "written"]

_MAX_EVIDENCE = 6


def retrieval(
    expect: RetrievalExpectation,
    *,
    final_message: str,
    changes: tuple[Change, ...] | None,
    view: WorldView | None,
    transcript: Transcript | None = None,
) -> Finding:
    """Axis b of a retrieval scenario. The first rule that applies decides:

    a file shows work against the decision: no; only distractors named: no; only the right one named: yes;
    both named: yes if the files show the right one acted on, or if each distractor is said to be superseded;
    nothing named: yes if the files show it. Files of an unchanged world show nothing.
    """
    against = _any(expect.against, view)
    if against is not None:
        return _no("the files show work against the decision", against)
    named = cited(final_message, changes, transcript, (expect.adr, *expect.distractors), view)
    right = [c for c in named if c.id == expect.adr]
    wrong = [c for c in named if c.id != expect.adr]
    if wrong and not right:
        return _no(f"relies on {_ids(wrong)} instead of {expect.adr}", *_shown(wrong))
    if right and not wrong:
        return _yes(f"names {expect.adr} and no distractor", *_shown(right))
    acted = _all(expect.acted, view) if changes else None
    if wrong:
        return _both(expect, right, wrong, acted)
    if acted is not None:
        return _yes(f"names no decision, but the files follow {expect.adr}", *acted)
    return _nothing(expect, final_message, changes, view)


def _both(
    expect: RetrievalExpectation, right: list[Citation], wrong: list[Citation], acted: list[Evidence] | None
) -> Finding:
    if acted is not None:
        return _yes(f"names {expect.adr} and {_ids(wrong)}; the files follow {expect.adr}", *acted)
    said = {c.id: c for c in wrong if rejects(c.text, c.id, expect.adr)}
    left = [c for c in wrong if c.id not in said]
    if not left:
        return _yes(
            f"names {expect.adr} and says that {_ids(wrong)} does not govern", *_shown(list(said.values()))
        )
    reason = f"names {expect.adr} and {_ids(left)}, and neither files nor words tell them apart"
    return _no(reason, *_shown([*left, *right]))


def _nothing(
    expect: RetrievalExpectation,
    final_message: str,
    changes: tuple[Change, ...] | None,
    view: WorldView | None,
) -> Finding:
    if not final_message.strip() and not changes:
        return _no("says nothing and changes nothing", Evidence(where="final message", text=""))
    for rule in expect.acted if changes and view is not None else ():
        held, evidence = holds(rule, view) if view is not None else (False, None)
        if not held and evidence is not None:
            return _no(f"names no decision, and the files do not follow {expect.adr}", evidence)
    words = Evidence(where="final message", text=" ".join(final_message.split())[:300])
    if changes is None or view is None:
        return _no(f"does not name {expect.adr}, and the world is not known", words)
    if not changes:
        return _no(f"does not name {expect.adr} and changes nothing", words)
    return _no(f"does not name {expect.adr}, and no file rule could show it", words)


def _any(rules: tuple[FileRule, ...], view: WorldView | None) -> Evidence | None:
    for rule in rules if view is not None else ():
        held, evidence = holds(rule, view) if view is not None else (False, None)
        if held:
            return evidence
    return None


def _all(rules: tuple[FileRule, ...], view: WorldView | None) -> list[Evidence] | None:
    if view is None or not rules:
        return None
    answers = [holds(rule, view) for rule in rules]
    return [evidence for _, evidence in answers] if all(held for held, _ in answers) else None


def _ids(citations: list[Citation]) -> str:
    return ", ".join(dict.fromkeys(c.id for c in citations))


def _shown(citations: list[Citation]) -> list[Evidence]:
    return [Evidence(where=c.where, text=c.text) for c in citations[:_MAX_EVIDENCE]]


def _yes(reason: str, *evidence: Evidence) -> Finding:
    return Finding(name="axis_b", value=True, reason=reason, evidence=evidence)


def _no(reason: str, *evidence: Evidence) -> Finding:
    return Finding(name="axis_b", value=False, reason=reason, evidence=evidence)
