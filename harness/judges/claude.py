"""A judge that is ``claude -p`` itself: alone in an empty folder, without tools, plugins or memory.

Measured with Claude Code 2.1.332: with ``--tools ""`` and ``--json-schema`` the model is offered nothing but the
StructuredOutput tool, and the object that the CLI has checked comes as ``structured_output`` in the result.
"""

import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path

import orjson

from harness.claude.launch import QUIET
from harness.claude.process import Command, supervise
from harness.model.judge import Ask, JudgeReply, JudgeRequest
from harness.model.run import ProcessExit
from harness.model.scenario import Limits

_SYSTEM = "You judge material by what stands in it, and you answer only in the form that is asked for."


def claude_judge(claude: str, *, api_env: Mapping[str, str], path: str, retries: int = 2) -> Ask:
    """An Ask that starts one claude a question. ``api_env`` holds the base URL and the credential."""

    def ask(request: JudgeRequest) -> JudgeReply:
        with tempfile.TemporaryDirectory(prefix="judge-", ignore_cleanup_errors=True) as folder:
            return _ask(request, Path(folder).resolve(), claude, {**api_env, "PATH": path}, retries)

    return ask


def judge_arguments(claude: str, request: JudgeRequest) -> tuple[str, ...]:
    """The prompt goes in on stdin, so that its length has no bound and its first character no meaning."""
    schema = orjson.dumps(request.schema).decode()
    isolation = ["--system-prompt", _SYSTEM, "--tools", "", "--setting-sources", "", "--strict-mcp-config"]
    return (
        claude,
        "-p",
        "--model",
        request.model,
        "--output-format",
        "json",
        *isolation,
        "--json-schema",
        schema,
    )


def _ask(
    request: JudgeRequest, room: Path, claude: str, outer: Mapping[str, str], retries: int
) -> JudgeReply:
    for name in ("home", "config", "tmp", "empty"):
        (room / name).mkdir()
    stdin = room / "prompt"
    stdin.write_text(request.prompt, encoding="utf-8", errors="surrogatepass")
    env = {
        **QUIET,
        **outer,
        "HOME": str(room / "home"),
        "CLAUDE_CONFIG_DIR": str(room / "config"),
        "TMPDIR": str(room / "tmp"),
        "CLAUDE_CODE_TMPDIR": str(room / "tmp"),
        "CLAUDE_CODE_MAX_RETRIES": str(retries),
    }
    command = Command(
        argv=judge_arguments(claude, request),
        env=env,
        cwd=room / "empty",
        stdin=stdin,
        token=f"judge-{uuid.uuid4().hex}",
        owned=room,
    )
    limits = Limits(timeout_s=request.timeout_s, idle_s=request.timeout_s, startup_s=request.timeout_s)
    ended = supervise(command, stdout=room / "stdout", stderr=room / "stderr", limits=limits)
    said = (room / "stderr").read_text(encoding="utf-8", errors="replace").strip()
    return read_reply((room / "stdout").read_bytes(), ended, said)


def _result(stdout: bytes) -> Mapping[str, object] | None:
    """The last result object of the output, whether it comes as a line or in a list."""
    for line in reversed(stdout.split(b"\n")):
        try:
            data: object = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        for item in reversed(data if isinstance(data, list) else [data]):
            if isinstance(item, dict) and item.get("type") == "result":
                return item
    return None


def read_reply(stdout: bytes, ended: ProcessExit, stderr: str) -> JudgeReply:
    """What the process said, or the outage that it was."""
    raw = stdout.decode(errors="replace")
    result = _result(stdout)
    if result is None:
        why = ended.start_error or ended.limit or f"exit {ended.exit_code}"
        return JudgeReply(
            raw=raw, outage=f"claude gave no result ({why}) {stderr[:200]}".strip(), duration_s=ended.wall_s
        )
    text = result.get("result")
    raw = text if isinstance(text, str) else raw
    cost = result.get("total_cost_usd")
    models = result.get("modelUsage")
    outage = ""
    if result.get("is_error") is True and "structured_output" not in str(result.get("subtype")):
        status = result.get("api_error_status")
        outage = f"{result.get('terminal_reason') or result.get('subtype')} {status or ''}: {raw[:200]}"
    return JudgeReply(
        raw=raw,
        structured=result.get("structured_output"),
        outage=outage,
        cost_usd=float(cost) if isinstance(cost, int | float) else 0.0,
        model_id=next(iter(models), "") if isinstance(models, dict) else "",
        duration_s=ended.wall_s,
    )
