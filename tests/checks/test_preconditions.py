"""What a score needs, and what each lack is called."""

import json
from pathlib import Path

import pytest

from harness.checks.preconditions import failed, preconditions
from harness.claude.transcript import build_transcript
from harness.model.transcript import Transcript
from tests.bugs import bug_program_output, bug_transcript, events_of, recorded, transcript_of

INIT: dict[str, object] = {
    "type": "system",
    "subtype": "init",
    "cwd": "/world",
    "model": "claude-haiku-5-5",
    "tools": ["Bash", "Read", "Skill"],
    "skills": ["verify", "demo:adr"],
    "slash_commands": ["verify", "clear"],
    "plugins": [
        {"name": "demo", "source": "demo@inline"},
        {"name": "cc", "path": "builtin", "source": "cc@builtin"},
    ],
}


def spoken(model: str = "claude-haiku-5-5", **more: object) -> dict[str, object]:
    return {"type": "assistant", "message": {"id": "m1", "model": model, "content": "x"}, **more}


def of(*values: object) -> Transcript:
    return build_transcript(events_of(b"".join(json.dumps(v).encode() + b"\n" for v in values)))


def lacks(transcript: Transcript, **asked: object) -> dict[str, str]:
    wanted: dict[str, object] = {
        "world": "/world",
        "plugin_name": "demo",
        "plugin_skills": ("adr",),
        "model_asked": "haiku",
    }
    return {f.name: f.reason for f in failed(preconditions(transcript, **{**wanted, **asked}))}  # type: ignore[arg-type]


def init(**changed: object) -> Transcript:
    return of({**INIT, **changed}, spoken())


def test_a_good_run_lacks_nothing() -> None:
    assert lacks(init()) == {}


def test_a_recorded_run_lacks_nothing() -> None:
    assert lacks(recorded("plugin")) == {}


def test_the_tools_offered_are_recorded() -> None:
    (found,) = [f for f in preconditions(init()) if f.name == "init"]
    assert found.evidence[0].text == "tools offered: Bash Read Skill"


@pytest.mark.parametrize(
    ("changed", "name", "reason"),
    [
        pytest.param({"cwd": "/tmp"}, "cwd", "cwd is /tmp, the world is /world", id="cwd"),
        pytest.param({"cwd": None}, "cwd", "cwd is not told, the world is /world", id="no-cwd"),
        pytest.param({"plugins": []}, "plugin", "plugin demo is not loaded (loaded: none)", id="no-plugin"),
        pytest.param(
            {"skills": ["verify"]}, "plugin", "plugin demo is loaded without its skills adr", id="no-skill"
        ),
        pytest.param(
            {"plugin_errors": ["x"]}, "plugin_errors", "the CLI reports plugin errors: x", id="plugin-error"
        ),
        pytest.param(
            {"tools": ["Bash"]}, "skill_tool", "the Skill tool is not offered (offered: Bash)", id="no-tool"
        ),
        pytest.param(
            {"model": "claude-opus-5"},
            "model",
            "asked for haiku, the CLI took claude-opus-5",
            id="other-model",
        ),
    ],
)
def test_each_lack_is_named(changed: dict[str, object], name: str, reason: str) -> None:
    assert lacks(init(**changed)).get(name) == reason


def test_a_plugin_that_is_silently_left_out_is_told() -> None:
    assert lacks(recorded("plugin-broken"))["plugin"].startswith("plugin demo is not loaded (loaded: cc-")


@pytest.mark.parametrize(
    ("changed", "clean"),
    [
        pytest.param({"plugins": [], "skills": ["verify"]}, True, id="absent"),
        pytest.param({"skills": ["verify"]}, False, id="plugin"),
        pytest.param({"plugins": []}, False, id="skill"),
    ],
)
def test_a_baseline_must_not_have_the_plugin(changed: dict[str, object], clean: bool) -> None:
    found = lacks(init(**changed), plugin_name=None, plugin_skills=(), baseline_plugin="demo")
    assert ("baseline" not in found) == clean


@pytest.mark.parametrize(
    ("asked", "resolved", "answered", "good"),
    [
        ("haiku", "claude-haiku-5-5", "claude-haiku-5-5", True),
        ("haiku", "claude-3-5-haiku-20241022", "claude-3-5-haiku-20241022", True),
        ("haiku", "claude-sonnet-5", "claude-sonnet-5", False),
        ("haiku", "claude-haikuish-5", "claude-haikuish-5", False),
        ("haiku", "claude-haiku-5-5", "claude-sonnet-5", False),
        ("sonnet[1m]", "claude-sonnet-5[1m]", "claude-sonnet-5", True),
        ("claude-haiku-5-5", "claude-haiku-5-5", "claude-haiku-5-5", True),
        ("claude-haiku-4-5", "claude-haiku-4-5", "claude-haiku-4-5-20251001", True),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001", "claude-haiku-4-5-20260101", False),
        ("claude-haiku-5-5", "claude-haiku-5", "claude-haiku-5", False),
        ("opusplan", "claude-opus-5", "claude-opus-5", True),
        ("scripted:ideal", "claude-haiku-5-5", "claude-haiku-5-5", True),
        ("scripted:ideal", "claude-haiku-5-5", "claude-sonnet-5", False),
    ],
)
def test_the_model_asked_for_is_the_one_that_answered(
    asked: str, resolved: str, answered: str, good: bool
) -> None:
    transcript = of({**INIT, "model": resolved}, spoken(answered))
    assert ("model" not in lacks(transcript, model_asked=asked)) == good


def test_both_models_of_a_fallback_are_named() -> None:
    transcript = of(INIT, spoken(), spoken("claude-sonnet-5"))
    assert lacks(transcript)["model"] == "claude-haiku-5-5 was to answer, claude-sonnet-5 did"


def test_a_subagent_may_use_another_model() -> None:
    assert lacks(of(INIT, spoken(), spoken("claude-sonnet-5", parent_tool_use_id="t1"))) == {}


def test_without_init_nothing_is_known() -> None:
    assert list(lacks(of())) == ["init", "answer"]


@pytest.mark.parametrize("name", ["api-429", "api-refused", "api-credit"])
def test_an_answer_of_the_cli_itself_is_none(name: str) -> None:
    assert (
        lacks(recorded(name), plugin_name=None, plugin_skills=())["answer"]
        == "no message of a model in the stream"
    )


def test_a_last_word_of_the_cli_itself_is_no_answer() -> None:
    transcript = of(INIT, spoken(), spoken("<synthetic>", error="server_error"))
    assert lacks(transcript)["answer"] == "the last message is the CLI's own, not a model's"


def test_hk13_a_clamped_tool_list_and_a_strangers_plugin_are_told(tmp_path: Path) -> None:
    found = lacks(bug_transcript("HK13", tmp_path), world="/sbx", model_asked="m-1")
    assert list(found) == ["isolation", "skill_tool", "answer"]
    assert found["isolation"] == "plugins that nobody asked for are loaded: someone-elses"


def test_is02_a_skill_that_leaked_in_is_told() -> None:
    found = lacks(init(skills=["verify", "demo:adr", "extra"]), strangers=("extra", "extra2"))
    assert found == {"isolation": "skills or commands that nobody asked for are listed: extra, extra2"}


def test_is11_a_cut_skill_listing_is_a_note_with_its_numbers(tmp_path: Path) -> None:
    out, err = bug_program_output("IS11", tmp_path)
    findings = preconditions(transcript_of(out, tmp_path), stderr=err.decode())
    (note,) = [f for f in findings if f.name == "skill_listing"]
    assert note.value is None
    assert "67 skills, 38874 chars > 30000 budget" in note.reason
    assert note.reason.endswith("(1 skills listed)")


@pytest.mark.parametrize(
    ("needed", "value"), [(("db",), False), (("plugin:demo:db",), False), (("other",), False), ((), None)]
)
def test_is12_a_pending_mcp_server_matters_only_where_it_is_needed(
    needed: tuple[str, ...], value: bool | None, tmp_path: Path
) -> None:
    findings = preconditions(bug_transcript("IS12", tmp_path), mcp_needed=needed)
    assert [f.value for f in findings if f.name == "mcp"] == [value]


def test_is13_a_model_that_took_over_is_told_and_a_helper_is_not(tmp_path: Path) -> None:
    found = lacks(bug_transcript("IS13", tmp_path), world="/sbx", model_asked="m-1")
    assert found == {"model": "m-1 was to answer, m-2-small did"}


def test_nm11_a_run_without_any_answer_is_no_evidence(tmp_path: Path) -> None:
    assert "answer" in lacks(bug_transcript("NM11", tmp_path), world="/sbx", model_asked="m-1")
