import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.checks.consult import axis_a, signals
from harness.checks.skill_call import skill_name
from harness.model.check import Signal
from harness.model.event import Init, Plugin, ToolResultBlock, Usage
from harness.model.scenario import ConsultRule
from harness.model.transcript import StreamFaults, ToolCall, Transcript

WORLD, PLUGIN = "/world", "/plugins/os-adr"
RULE = ConsultRule(skills=("os-adr:*",), commands=("adr-*",), paths=("docs/adr/**",))
INIT = Init(
    index=0,
    session_id="s",
    cwd=WORLD,
    model="m",
    tools=("Bash", "Read", "Skill"),
    skills=("os-adr:adr-find", "os-adr:adr-write", "os-adr:adr-supersede"),
    slash_commands=(),
    plugins=(Plugin(name="os-adr", path=PLUGIN, source="os-adr@inline"),),
    plugin_errors=(),
    mcp_servers=(),
    permission_mode="default",
    cli_version="2.1.332",
    api_key_source="none",
)


def transcript(*calls: ToolCall, init: Init | None = INIT) -> Transcript:
    return Transcript(
        init=init,
        hooks_started=(),
        hooks=(),
        calls=calls,
        said=(),
        results=(),
        retries=(),
        rate_limits=(),
        models=("m",),
        synthetic=False,
        synthetic_error="",
        first_action_index=1,
        compactions=0,
        assistant_messages=len(calls),
        events=2 * len(calls) + 1,
        faults=StreamFaults(),
        usage=Usage(),
    )


def call(
    tool: str,
    given: Mapping[str, object],
    *,
    index: int = 1,
    parent: str | None = None,
    output: str | None = "",
    failed: bool = False,
    denied: bool = False,
) -> ToolCall:
    result = (
        None if output is None else ToolResultBlock(tool_use_id=f"t{index}", text=output, is_error=failed)
    )
    return ToolCall(
        id=f"t{index}",
        tool=tool,
        input=given,
        readable=True,
        index=index,
        parent_tool_use_id=parent,
        result=result,
        denied=denied,
    )


def bash(command: str, **more: object) -> ToolCall:
    return call("Bash", {"command": command}, **more)  # type: ignore[arg-type]


def found(
    *calls: ToolCall, rule: ConsultRule = RULE, links: Mapping[str, str] | None = None
) -> tuple[Signal, ...]:
    return signals(transcript(*calls), rule, cwd=WORLD, plugin_root=PLUGIN, links=links)


class Case(NamedTuple):
    tool: str
    given: Mapping[str, object]
    signal: bool
    kind: str | None


def labelled() -> list[Case]:
    text = (Path(__file__).parents[1] / "data" / "signals.yaml").read_text(encoding="utf-8")
    return [Case(c["tool"], c["input"], c["signal"], c["kind"]) for c in yaml.safe_load(text)]


def test_labelled_calls_are_many() -> None:
    assert len(labelled()) >= 250


def test_precision_and_recall_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    cases = labelled()
    said = [any(s.decides for s in found(call(c.tool, c.given))) for c in cases]
    hits = sum(c.signal and s for c, s in zip(cases, said, strict=True))
    precision, recall = hits / sum(said), hits / sum(c.signal for c in cases)
    with capsys.disabled():
        print(f"\nsignals: {len(cases)} labelled calls, precision {precision:.4f}, recall {recall:.4f}")
    wrong = [(c.given, c.signal) for c, s in zip(cases, said, strict=True) if c.signal is not s]
    assert (precision, recall, wrong) == (1.0, 1.0, [])


def test_each_labelled_call_has_its_kind() -> None:
    seen = [(c, {s.kind for s in found(call(c.tool, c.given))}) for c in labelled()]
    wrong = [(c.given, c.kind, kinds) for c, kinds in seen if (c.kind not in kinds if c.kind else kinds)]
    assert wrong == []


def kinds(*calls: ToolCall, rule: ConsultRule = RULE) -> list[str]:
    return [s.kind for s in found(*calls, rule=rule) if s.decides]


def test_folder_lasts_from_one_bash_call_to_the_next() -> None:
    assert kinds(bash("cd docs", index=1), bash("cat adr/0003-x.md", index=2)) == ["shell-read"]


@pytest.mark.parametrize(
    "first",
    [
        bash("cd docs", failed=True),
        bash("cd docs", denied=True),
        bash("cd docs", output=None),
        bash("cd docs", output="Shell cwd was reset to /world"),
        bash("(cd docs)"),
        bash("cd docs", output="/bin/bash: line 1: cd: docs: No such file or directory"),
        call("Bash", {"command": "cd docs", "run_in_background": True}),
        bash("cd docs", parent="agent"),
    ],
    ids=[
        "failed",
        "denied",
        "no-result",
        "reset",
        "subshell",
        "no-such-folder",
        "background",
        "of-a-subagent",
    ],
)
def test_folder_does_not_last(first: ToolCall) -> None:
    assert kinds(first, bash("cat adr/0003-x.md", index=2)) == []


def test_a_subagents_shell_starts_in_the_world_each_time() -> None:
    first, second = bash("cd docs", parent="a"), bash("cat docs/adr/0003-x.md", index=2, parent="a")
    assert kinds(first, second) == ["shell-read"]


def test_cd_that_failed_inside_a_line_leaves_the_folder() -> None:
    told = "bash: line 1: cd: nope: No such file or directory\n# Cache"
    assert kinds(bash("cd nope; cat docs/adr/0003-x.md", output=told)) == ["shell-read"]


def test_a_link_made_earlier_is_followed() -> None:
    assert kinds(bash("ln -s docs/adr d"), call("Read", {"file_path": "/world/d/0003-x.md"}, index=2)) == [
        "read"
    ]


def test_a_link_of_the_world_is_followed() -> None:
    seen = found(bash("cat decisions/0003-x.md"), links={"decisions": "docs/adr"})
    assert [s.kind for s in seen] == ["shell-read"]


@pytest.mark.parametrize(
    "cwd", ["/tmp/w[1]", "/tmp/a b/{x}", "/tmp/wörld", "/tmp/*", "/tmp/~x"], ids=list("abcde")
)
def test_a_world_of_any_name(cwd: str) -> None:
    calls = (
        call("Read", {"file_path": f"{cwd}/docs/adr/x.md"}),
        bash("cat docs/adr/x.md", index=2),
        bash(f"cat '{cwd}/docs/adr/x.md'", index=3),
        bash("cd docs && cat ../docs/adr/x.md", index=4),
    )
    seen = signals(transcript(*calls, init=None), RULE, cwd=cwd)
    assert [s.index for s in seen] == [1, 2, 3, 4]


def test_the_world_is_known_under_inits_name_too() -> None:
    seen = signals(transcript(bash("cat /world/docs/adr/x.md")), RULE, cwd="/private/world")
    assert [s.kind for s in seen] == ["shell-read"]


def test_literal_rule_lets_only_skill_cli_read_and_glob_decide() -> None:
    rule = ConsultRule(skills=RULE.skills, commands=RULE.commands, paths=RULE.paths, literal=True)
    calls = (
        call("Skill", {"skill": "os-adr:adr-find"}),
        bash("adr-list", index=2),
        call("Read", {"file_path": "docs/adr/x.md"}, index=3),
        call("Glob", {"pattern": "docs/adr/*"}, index=4),
        bash("cat docs/adr/x.md", index=5),
        call("Grep", {"pattern": "x", "path": "docs/adr"}, index=6),
    )
    assert [(s.index, s.decides) for s in found(*calls, rule=rule)] == [
        (1, True), (2, True), (3, True), (4, True), (5, False), (6, False)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "write",
    [
        call("Write", {"file_path": "docs/adr/0009-x.md", "content": ""}),
        call("Edit", {"file_path": "docs/adr/0003-x.md"}),
        bash("echo x > docs/adr/0009-x.md"),
    ],
    ids=["write", "edit", "redirect"],
)
def test_writes_decide_only_where_the_rule_says_so(write: ToolCall) -> None:
    rule = ConsultRule(skills=RULE.skills, commands=RULE.commands, paths=RULE.paths, writes_count=True)
    assert ([s.decides for s in found(write)], [s.decides for s in found(write, rule=rule)]) == (
        [False],
        [True],
    )


def test_denied_failed_and_subagent_calls_count_and_are_marked() -> None:
    read = {"file_path": "docs/adr/x.md"}
    calls = (
        call("Read", read, index=1, denied=True),
        call("Read", read, index=2, failed=True),
        call("Read", read, index=3, parent="a"),
    )
    marks = [(s.denied, s.failed, s.subagent, s.decides) for s in found(*calls)]
    assert marks == [(True, False, False, True), (False, True, False, True), (False, False, True, True)]


def test_a_late_call_counts_as_much_as_a_first() -> None:
    calls = (
        bash("git status", index=1),
        call("TodoWrite", {"todos": []}, index=2),
        call("Skill", {"skill": "other:x"}, index=3),
        call("Skill", {"skill": "os-adr:adr-find"}, index=4),
    )
    assert [(s.kind, s.index) for s in found(*calls)] == [("skill", 4)]


def test_skill_rule_without_plugin_takes_both_forms() -> None:
    rule = ConsultRule(skills=("adr",), commands=(), paths=())
    seen = [skill_call for skill_call in ("demo:adr", "adr", "/demo:adr", "other") if found(
        call("Skill", {"skill": skill_call}), rule=rule)]  # fmt: skip
    assert seen == ["demo:adr", "adr", "/demo:adr"]


def test_bare_skill_name_is_found_in_the_plugins_folder(tmp_path: Path) -> None:
    (tmp_path / "skills" / "adr-find").mkdir(parents=True)
    (tmp_path / "skills" / "adr-find" / "SKILL.md").write_text("x")
    calls = (call("Skill", {"skill": "adr-find"}), call("Skill", {"skill": "adr-other"}, index=2))
    seen = signals(transcript(*calls, init=None), RULE, cwd=WORLD, plugin_root=str(tmp_path))
    assert [s.index for s in seen] == [1]


@pytest.mark.parametrize(
    "given", [{}, {"other": 1}, {"skill": None}, {"skill": " "}, {"skill": ["x"]}], ids=str
)
def test_unrecognised_skill_input_has_no_name(given: dict[str, object]) -> None:
    assert skill_name(given) is None


def test_axis_a_true_names_the_line_and_the_words() -> None:
    finding = axis_a(found(bash("cat docs/adr/0003-x.md", index=7)))
    assert (finding.value, finding.evidence[0].where) == (True, "stream:7")
    assert "cat docs/adr/0003-x.md" in finding.evidence[0].text


@pytest.mark.parametrize("command", ["rg cache", "echo hi", ""], ids=["passing", "nothing", "empty"])
def test_axis_a_false_carries_evidence(command: str) -> None:
    finding = axis_a(found(bash(command)))
    assert (finding.value, len(finding.evidence)) == (False, 1)


PIECES = r"""cat ls docs/adr docs/adr/*.md | & ; && || ( ) { } $( ) ` " ' \ < > << EOF <<'E' $x ${x%/} ${ [[ ]]
    if     then fi for in do done case esac cd - .. ~ * ** [a ] !( xargs find -exec bash -c git show HEAD:docs/adr
    python3 sed -n -- -I{} {} {a,b} {1..9} env X=1 eval $'\x' <( 2>&1 # é timeout -
    x=( ) read 'docs/a ((  )) [ -f"""
SHELLISH = st.lists(st.sampled_from([*PIECES.split(), "\n", "\x00", "\x01", "\ud7ff"]), max_size=25).map(
    " ".join
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(SHELLISH, st.text(max_size=80)))
def test_no_command_text_raises(command: str) -> None:
    found(bash(command), bash("cat docs/adr/x.md", index=2))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_no_path_or_pattern_raises(pattern: str, path: str) -> None:
    found(
        call("Glob", {"pattern": pattern, "path": path}),
        call("Grep", {"pattern": "x", "glob": pattern, "path": path}),
        call("Read", {"file_path": path}),
        call("Skill", {"skill": path}),
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([".", "docs/..", "src/../."]), max_size=4), st.integers(1, 3))
def test_detours_lead_to_the_same_place(detours: list[str], slashes: int) -> None:
    path = posixpath.join(WORLD, *detours, "docs" + "/" * slashes + "adr", "x.md")
    assert [s.kind for s in found(call("Read", {"file_path": path}), bash(f"cat {path}", index=2))] == [
        "read", "shell-read"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [
        "cat " + "(" * 3000,
        "cat " + "$(" * 3000,
        "a;" * 20000,
        "cat {" + "a," * 5000 + "}" * 9,
        "{a,b}" * 40,
        "[" * 5000,
    ],
    ids=["parens", "substitutions", "many", "brace", "braces-of-braces", "brackets"],
)
@pytest.mark.timeout(20)
def test_monstrous_commands_end(command: str) -> None:
    assert kinds(bash(command)) == []
