"""Two runs side by side as a page, as text and as JSON."""

from collections.abc import Iterator
from pathlib import Path

from harness import __version__
from harness.report.align import Alignment, Pairing, TurnOf
from harness.report.inert import inert, one_line
from harness.report.kept import Kept
from harness.report.page import asset, environment, policy, told_of
from harness.report.story import headline


def diff_page(left: Kept, right: Kept, found: Alignment, results: Path) -> str:
    from markupsafe import Markup

    style, script = asset("style.css"), asset("run.js")
    return (
        environment()
        .get_template("diff.html")
        .render(
            version=__version__,
            policy=policy(script, style),
            style=Markup(style),
            script=Markup(script),
            left={**told_of(left, results), "run_id": left.run_id},
            right={**told_of(right, results), "run_id": right.run_id},
            left_diff=left.diff,
            right_diff=right.diff,
            found=found,
        )
    )


def diff_text(left: Kept, right: Kept, found: Alignment) -> str:
    """Same turns in one line each; from where they part on, both sides."""
    lines = [*_head("A", left), *_head("B", right)]
    lines += [
        f"differs before the first turn: {name}: {one_line(a, 60)} | {one_line(b, 60)}"
        for name, a, b in found.setting
    ]
    if found.first is None:
        lines.append("the model does the same in both")
    for number, pair in enumerate(found.pairs):
        if number == found.first:
            lines.append("---- here they part ----")
        lines += _pair(pair, (left.world, right.world))
    return "\n".join(lines)


def _head(name: str, kept: Kept) -> Iterator[str]:
    row = kept.row
    yield f"{name}: {kept.run_id}"
    if row is not None:
        yield inert(f"   {row.pass_} ({row.status}), axis a {row.axis_a}, axis b {row.axis_b}: {row.reason}")


def _pair(pair: Pairing, worlds: tuple[str, str]) -> Iterator[str]:
    if pair.difference != "other" and pair.left is not None:
        note = "   (the tools answered differently)" if pair.difference == "results" else ""
        told = one_line("; ".join(headline(step, worlds[0]) for step in pair.left.steps), 110)
        yield f"  {pair.left.number:3} {told}{note}"
        return
    for sign, turn, world in (("A", pair.left, worlds[0]), ("B", pair.right, worlds[1])):
        for step in turn.steps if turn is not None else ():
            whole = step.body.replace(f"{world}/", "") if world else step.body
            yield f"{sign} {turn.number if turn else 0:3} {one_line(f'{step.title}: {whole}', 170)}"


def diff_fields(left: Kept, right: Kept, found: Alignment) -> dict[str, object]:
    def turn(one: TurnOf | None) -> object:
        return (
            None
            if one is None
            else {"turn": one.number, "steps": [[s.index, s.title, one_line(s.body)] for s in one.steps]}
        )

    return {
        "a": left.run_id,
        "b": right.run_id,
        "first_divergence": found.first,
        "setting": [{"name": name, "a": a, "b": b} for name, a, b in found.setting],
        "pairs": [{"a": turn(p.left), "b": turn(p.right), "difference": p.difference} for p in found.pairs],
    }
