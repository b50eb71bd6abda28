"""The page that shows one run, and what every page has: style, script and a policy that lets nothing in."""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import structs, to_builtins

from harness import __version__
from harness.report.inert import inert, one_line, shown
from harness.report.kept import Kept
from harness.report.story import Step, about
from harness.report.terminal import again

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PAGES = Path(__file__).parent / "pages"
_DIFF_CHARACTERS = 200_000
_FACTS = (
    "sandbox",
    "wire",
    "claude_version",
    "claude_path",
    "world",
    "fixture",
    "plugin_name",
    "plugin_root",
    "limits",
)


def asset(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(script: str, style: str | None = None) -> str:
    """Nothing from anywhere, no request to anywhere; the page's own script alone may run. ``style`` None: any inline style."""
    styles = "'unsafe-inline'" if style is None else _source(style)
    scripts = _source(script) if script else "'none'"
    return f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; base-uri 'none'; form-action 'none'"


@cache
def environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(PAGES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )
    made.filters.update(
        inert=lambda value: inert(str(value)),
        line=lambda value: one_line(str(value)),
        shown=lambda value: shown(str(value)),
        anchor=_anchor,
        highlight=_highlight,
        diff=_diff,
    )
    return made


def _anchor(where: str) -> str:
    if where.startswith("stream:"):
        return "s" + where.removeprefix("stream:")
    return "final" if where == "final message" else "world"


def _highlight(text: str, words: Iterable[str]) -> "Markup":
    """The text with each of ``words`` marked, however white space is set in it."""
    from markupsafe import Markup, escape

    patterns = [r"\s+".join(map(re.escape, inert(w).split())) for w in words if w.strip()]
    if not patterns:
        return escape(text)
    made, last = Markup(), 0
    for found in re.finditer("|".join(patterns), text):
        made += escape(text[last : found.start()]) + Markup("<mark>") + escape(found[0]) + Markup("</mark>")
        last = found.end()
    return made + escape(text[last:])


def _diff(text: str) -> "Markup":
    from markupsafe import Markup, escape

    cut = len(text) - _DIFF_CHARACTERS
    lines = [
        Markup('<span class="{}">{}</span>').format(_line_class(line), line)
        for line in inert(text[:_DIFF_CHARACTERS]).split("\n")
    ]
    if cut > 0:
        lines.append(escape(f"… {cut:,} characters more in world.diff"))
    return Markup("\n").join(lines)


def _line_class(line: str) -> str:
    if line.startswith(("+++", "---", "diff ")):
        return "faint"
    return {"+": "add", "-": "del", "@": "hunk"}.get(line[:1], "")


def run_page(kept: Kept, results: Path, *, raw: str, index: str = "") -> str:
    """``raw``: where the run folder is as seen from the page, ending in ``/``; ``index``: the same for the report."""
    style, script = asset("style.css"), asset("run.js")
    from markupsafe import Markup

    return (
        environment()
        .get_template("run.html")
        .render(
            kept=kept,
            run=told_of(kept, results),
            steps=steps_of(kept),
            facts=_facts(kept),
            raw=quote(raw),
            index=index,
            version=__version__,
            policy=policy(script, style),
            style=Markup(style),
            script=Markup(script),
        )
    )


def steps_of(kept: Kept) -> list[dict[str, object]]:
    made: list[dict[str, object]] = []
    seen: set[int] = set()
    turn = 0
    last_said = max(
        (n for n, s in enumerate(kept.story.steps) if s.kind == "said" and not s.subagent), default=-1
    )
    for number, step in enumerate(kept.story.steps):
        suffix = "" if step.index not in seen else f"-{number}"
        seen.add(step.index)
        made.append(
            {
                **structs.asdict(step),
                "about": about(step, kept.world),
                "new_turn": step.turn > turn,
                "classes": _classes(step),
                "suffix": suffix,
                "open": step.kind == "said" or bool(step.marks) or number == last_said,
                "words": tuple(m.words for m in step.marks if m.words),
            }
        )
        turn = max(turn, step.turn)
    return made


def _classes(step: Step) -> str:
    on = {
        "sub": step.subagent,
        "marked": bool(step.marks),
        "failed": step.failed or step.denied,
        step.kind: True,
    }
    return " ".join(name for name, is_on in on.items() if is_on)


def told_of(kept: Kept, results: Path) -> Mapping[str, str]:
    """The row, or what of it the other files tell where it has none."""
    names = ("suite", "scenario", "arm", "model", "trial")
    if kept.row is None:
        told = {name: inert(str(kept.invocation.get(name, "?"))) for name in names}
        return {**told, "verdict": "invalid", "status": "unfinished", "axis_a": "n/a", "axis_b": "n/a",
                "reason": "the run has no row: it was cut off", "facts": "", "again": ""}  # fmt: skip
    row = kept.row
    facts = (
        f"{row.started_at}, {row.duration_s} s, {row.turns} turns, ${row.cost_usd}, {row.input_tokens} tokens in, "
        f"{row.output_tokens} out, {row.cache_read_tokens} from the cache; {row.model_id}, claude {row.cli_version}, {row.sandbox}"
    )
    told = {name: inert(value) for name, value in to_builtins(row).items()}
    return {**told, "verdict": row.pass_, "facts": inert(facts), "again": again(row, results)}


def _facts(kept: Kept) -> list[tuple[str, object]]:
    return [
        *((name, kept.invocation[name]) for name in _FACTS if kept.invocation.get(name) not in (None, "")),
        *(
            ("command", " ".join(map(str, argv)))
            for argv in [kept.invocation.get("argv")]
            if isinstance(argv, list)
        ),
        *((f"exit: {name}", value) for name, value in kept.exit.items() if value not in ("", [], None)),
        *((f"gateway: {name}", value) for name, value in kept.gateway.items() if value not in ("", [], None)),
    ]
