"""One ``harness eval --skills``: all arms of all cases run, then judged blindly, then told and kept."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
from msgspec import Struct
from msgspec.structs import replace

from harness.claude.binary import Claude, find_claude
from harness.claude.launch import is_scripted
from harness.engine.box import choose_kind
from harness.engine.evaluate import Outcome
from harness.engine.judging import open_bench
from harness.engine.planning import Plan, make_plan
from harness.engine.session import Options, dry_run_text, run_plan
from harness.engine.skill_runs import cell_name
from harness.engine.skill_tree import Chosen, check_commands, choose, skill_cells
from harness.engine.skill_verdicts import Finished, Judging, keep, skill_outcome
from harness.engine.telling import last_rows, tell_unfinished
from harness.errors import UserError
from harness.model.cell import Cell
from harness.model.grid import Grid
from harness.model.outcome import ExitCode
from harness.plan.digest import cell_digest
from harness.plan.expand import bounded
from harness.report.skills import skills_text
from harness.report.terminal import Terminal
from harness.results.record import recover
from harness.skills.outcome import SkillOutcome, as_json
from harness.world.confine import open_confinement


class SkillRequest(Struct, frozen=True, kw_only=True):
    """What a user asks of a tree of skills, beside a grid."""

    root: Path
    skill: str | None = None
    """A glob over paths and names."""
    trials: int | None = None
    """None: as the tree's suite.yaml says."""
    judge_model: str | None = None
    audit: bool = True
    grade: bool = False


def run_skills(request: SkillRequest, grid: Grid, options: Options, *, environ: Mapping[str, str]) -> int:
    """Run and judge what was asked for; the exit code. Raises UserError before anything starts."""
    if grid.engine != "local":
        raise UserError("skills are run on this machine; leave --engine out")
    if options.shard is not None:
        raise UserError("runs of skills are judged in pairs and cannot be split up; leave --shard out")
    chosen = _chosen(request, grid)
    with ExitStack() as stack:
        room = Path(stack.enter_context(TemporaryDirectory(prefix="harness-"))).resolve()
        cells = skill_cells(
            chosen, models=grid.models, trials=request.trials or chosen.settings.trials, room=room
        )
        claude = find_claude(options.claude, environ)
        plan = _plan(cells, chosen, grid, options, claude)
        if options.dry_run:
            print(dry_run_text(plan, grid, claude, choose_kind(grid.sandbox)))
            return ExitCode.PASS
        terminal = Terminal(total=len(plan.jobs), results=options.results)
        _say_before(plan, chosen, options, terminal)
        outcome, asked = run_plan(plan, grid, options, claude, chosen.root, environ, terminal, ())
        tell_unfinished(outcome, terminal)
        if asked.drain.is_set() or outcome.halted or outcome.tampered:
            _say_unjudged(outcome, terminal)
            return ExitCode.INTERRUPTED if asked.drain.is_set() else ExitCode.NOT_EVALUATED
        outcomes = _judge(_finished(plan, claude, grid, options), chosen, request, grid, claude, environ)
    return _tell(outcomes, options)


def _chosen(request: SkillRequest, grid: Grid) -> Chosen:
    found = choose(request.root.absolute(), skill=request.skill, cases=grid.scenarios, old=grid.old)
    settings = replace(found.settings, limits=bounded(found.settings.limits, grid.limits))
    return replace(found, settings=settings)


def _plan(cells: tuple[Cell, ...], chosen: Chosen, grid: Grid, options: Options, claude: Claude) -> Plan:
    kind = choose_kind(grid.sandbox)
    with open_confinement() if kind == "jail" else nullcontext() as wrap:
        check_commands(chosen, wrap)
    return make_plan(
        cells, grid, claude=claude, sandbox=kind, results=options.results, fresh=options.fresh, shard=None
    )


def _say_before(plan: Plan, chosen: Chosen, options: Options, terminal: Terminal) -> None:
    for repair in recover(options.results).repairs:
        terminal.say(repair.text)
    for skill in chosen.found.untested:
        terminal.say(f"{skill.path} has no cases")
    for path in chosen.found.orphans:
        terminal.say(f"{path}: its skill is gone")
    done = f"; {plan.finished} are there already, --fresh runs them again" if plan.finished else ""
    order = f", order from seed {plan.seed}" if plan.jobs else ""
    terminal.say(f"{len(plan.jobs)} runs{order}{done}")


def _say_unjudged(outcome: Outcome, terminal: Terminal) -> None:
    for path in outcome.tampered[:5]:
        terminal.say(f"STOPPED: a run changed what it must not touch: {path}")
    terminal.say("nothing is judged yet")


def _finished(plan: Plan, claude: Claude, grid: Grid, options: Options) -> Finished:
    last = last_rows(options.results, plan.digests)
    kind = choose_kind(grid.sandbox)
    digests = {cell_name(c): cell_digest(c, cli_version=claude.version, sandbox=kind) for c in plan.cells}
    rows = {name: last[digest] for name, digest in digests.items() if digest in last}
    return Finished(cells=plan.cells, rows=rows, results=options.results)


def _judge(
    found: Finished,
    chosen: Chosen,
    request: SkillRequest,
    grid: Grid,
    claude: Claude,
    environ: Mapping[str, str],
) -> list[SkillOutcome]:
    real = any(not is_scripted(m) for m in grid.models)
    with open_bench(claude, real=real, results=found.results, environ=environ) as bench:
        how = Judging(
            bench=bench,
            model=request.judge_model or chosen.settings.judge_model,
            audit=request.audit,
            grade=request.grade,
            lanes=grid.jobs,
        )
        return [
            skill_outcome(skill, model, found, chosen, how)
            for model in grid.models
            for skill in chosen.skills
            if skill.cases or skill.path in chosen.triggers
        ]


def _tell(outcomes: Sequence[SkillOutcome], options: Options) -> int:
    kept = keep(outcomes, options.results)
    if options.json:
        documents = {"skills": [as_json(o) for o in outcomes], "kept": [str(path) for path in kept]}
        print(orjson.dumps(documents, option=orjson.OPT_INDENT_2).decode())
    else:
        print(skills_text(outcomes))
        print("\n".join(f"kept: {path}" for path in kept))
    return overall([outcome.exit_code for outcome in outcomes])


def overall(codes: Sequence[int]) -> int:
    """The gravest: a mistake to mend, then a fail, then what could not be evaluated."""
    order = (ExitCode.USAGE, ExitCode.FAIL, ExitCode.NOT_EVALUATED)
    return next((code for code in order if code in codes), ExitCode.PASS)
