"""A finished run as a row."""

from harness import __version__
from harness.model.row import Row
from harness.model.run import Run
from harness.results.row_codec import axis_cell, seconds_cell, usd_cell


def row_of(run: Run) -> Row:
    cell, seen, judged = run.cell, run.transcript, run.judgement
    usage = seen.usage
    models = seen.models or ((seen.init.model,) if seen.init is not None else ())
    return Row(
        scenario=cell.scenario.id,
        model=cell.model,
        axis_a=axis_cell(judged.axis_a),
        axis_b=axis_cell(judged.axis_b),
        pass_=judged.verdict.value,
        suite=cell.suite.name,
        arm=cell.arm.name,
        trial=str(cell.trial),
        status=judged.status.value,
        reason=judged.reason,
        run_id=run.run_id,
        started_at=run.started_at,
        duration_s=seconds_cell(run.exit.wall_s),
        turns=str(seen.turns),
        cost_usd=usd_cell(usage.cost_usd),
        input_tokens=str(usage.input_tokens),
        output_tokens=str(usage.output_tokens),
        cache_read_tokens=str(usage.cache_read_tokens),
        cache_write_tokens=str(usage.cache_write_tokens),
        model_id=",".join(models),
        cli_version=run.cli_version,
        sandbox=run.sandbox,
        wire=run.wire,
        scenario_digest=cell.scenario_digest,
        plugin_digest=cell.arm.plugin_digest,
        harness_version=__version__,
        cell_digest=run.cell_digest,
        attempt=str(run.attempt),
        api_kind=run.api_kind,
        warnings="; ".join(run.warnings),
    )
