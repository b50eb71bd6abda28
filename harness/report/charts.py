"""Charts as inline SVG that takes its colours from the page; drawn by matplotlib, which takes a second to import."""

import io
import re
from collections.abc import Callable, Sequence
from datetime import date
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from harness.report.overview import Night, Paired, Side, SuiteGrid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Stand-ins that no chart would use itself, replaced by the page's own colours.
_INK, _LINE = "#010203", "#040506"
_STYLE: Any = {  # its keys are a Literal of some 300 names in matplotlib's types
    "svg.fonttype": "none",
    "font.family": ["sans-serif"],
    "font.size": 9,
    "text.parse_math": False,
    "text.color": _INK,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "grid.color": _LINE,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
# Distinguishable without colour vision (after Okabe and Ito), on white and on black; marks differ as well.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9")
_MARKS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: tuple[Literal["-", "--", ":"], ...] = ("-", "--", ":")
_WIDTH_IN = 8.6


def trend(nights: Sequence[Night]) -> str:
    """Pass rate by night with its interval, a line for each arm and model; "" for fewer than two nights."""
    days = sorted({night.day for night in nights})
    if len(days) < 2:
        return ""
    groups: dict[tuple[str, Side], list[Night]] = {}
    for night in nights:
        groups.setdefault((night.suite, night.side), []).append(night)

    def draw(axes: "Axes") -> None:
        for number, ((suite, side), group) in enumerate(sorted(groups.items())):
            rates = [night.rate for night in group]
            spans = [night.interval for night in group]
            below = [rate - span.low if span else 0.0 for rate, span in zip(rates, spans, strict=True)]
            above = [span.high - rate if span else 0.0 for rate, span in zip(rates, spans, strict=True)]
            axes.errorbar(
                [date.fromisoformat(night.day).toordinal() - 719163 for night in group],
                rates,
                yerr=[below, above],
                label=f"{suite} {side.arm} {side.model}",
                elinewidth=0.8,
                linewidth=1.4,
                markersize=4,
                linestyle=_DASHES[number // len(_COLOURS) % len(_DASHES)],
                **_point(number),
            )
        axes.xaxis_date()
        axes.set_ylabel("pass rate")
        axes.set_ylim(-0.03, 1.03)
        axes.grid(axis="y", linewidth=0.5, alpha=0.6)
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))

    return _svg("trend", f"Pass rate over {len(days)} nights", draw, height_in=3.0)


def cost_against_rate(grids: Sequence[SuiteGrid]) -> str:
    """Mean dollars of a run against pass rate, a point for each suite, arm and model; "" where no run is valid."""
    points = [(grid.suite, cell) for grid in grids for cell in grid.totals if cell.tally.valid]
    if not points:
        return ""

    def draw(axes: "Axes") -> None:
        for number, (suite, cell) in enumerate(points):
            rate, span = cell.tally.passed / cell.tally.valid, cell.interval
            axes.errorbar(
                [cell.tally.cost_usd / cell.tally.cells],
                [rate],
                yerr=[[rate - span.low], [span.high - rate]] if span else None,
                label=f"{suite} {cell.side.arm} {cell.side.model}",
                elinewidth=0.8,
                markersize=6,
                **_point(number),
                linestyle="none",
            )
        axes.set_xlabel("dollars a run, on average")
        axes.set_ylabel("pass rate")
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlim(left=0)
        axes.grid(linewidth=0.5, alpha=0.6)
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))

    return _svg("cost", "Pass rate against cost", draw, height_in=max(3.0, 0.2 * len(points) + 0.6))


def differences(pairs: Sequence[Paired]) -> str:
    """The paired difference of every two arms with its interval; "" where nothing is paired."""
    told = [pair for pair in pairs if pair.found.difference is not None]
    if not told:
        return ""

    def draw(axes: "Axes") -> None:
        labels = [f"{p.suite} {p.model}: {p.found.b.name} − {p.found.a.name}" for p in told]
        for place, pair in enumerate(told):
            difference, span = pair.found.difference or 0.0, pair.found.difference_interval
            error = [[difference - span.low], [span.high - difference]] if span else None
            axes.errorbar([difference], [place], xerr=error, linestyle="none", capsize=3, **_point(0))
        axes.set_yticks(range(len(told)), labels)
        axes.set_ylim(len(told) - 0.5, -0.5)
        axes.set_xlim(-1.05, 1.05)
        axes.axvline(0, color=_INK, linewidth=0.8)
        axes.set_xlabel("difference of pass rates over pairs, 95 % interval")
        axes.grid(axis="x", linewidth=0.5, alpha=0.6)

    return _svg("pairs", "Paired differences between arms", draw, height_in=0.28 * len(told) + 0.8)


class _Point(TypedDict):
    color: str
    marker: str


def _point(number: int) -> _Point:
    return _Point(color=_COLOURS[number % len(_COLOURS)], marker=_MARKS[number % len(_MARKS)])


def _svg(name: str, title: str, draw: "Callable[[Axes], None]", *, height_in: float) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=(_WIDTH_IN, height_in))
        draw(figure.subplots())
        return _inline(_save(figure), title)


def _save(figure: "Figure") -> str:
    made = io.StringIO()
    figure.savefig(made, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return made.getvalue()


def _inline(svg: str, title: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(
        r'<svg [^>]*?viewBox="([^"]*)"[^>]*>',
        rf'<svg viewBox="\1" role="img" aria-label="{escape(title)}">',
        svg,
        count=1,
    )
    for stand_in, name in ((_INK, "--ink"), (_LINE, "--line")):
        svg = svg.replace(stand_in, f"var({name})")
    return svg
