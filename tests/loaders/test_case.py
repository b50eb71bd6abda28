"""case.md: what it must, may and must not hold, each told with its line."""

from pathlib import Path

import pytest

from harness.errors import AuthoringError
from harness.loaders.case.load import load_case

HEAD = "---\ndescription: one line\n---\n"
PROMPT = "## Prompt\nFix the bug.\n"
SOFT = "## Soft criteria\n- It is fixed.\n"


def case_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "case" / "case.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def problems(tmp_path: Path, text: str, names: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    with pytest.raises(AuthoringError) as caught:
        load_case(case_file(tmp_path, text), names=names)
    return [(p.line, p.text) for p in caught.value.problems]


def hard(*lines: str) -> str:
    return HEAD + PROMPT + "## Hard assertions\n```sh\n" + "".join(f"{x}\n" for x in lines) + "```\n" + SOFT


def test_a_case_holds_its_sections(tmp_path: Path) -> None:
    case = load_case(case_file(tmp_path, hard('test -f "$WORLD/a"', 'grep -q x "$OUTPUT"')))
    assert (case.description, case.prompt) == ("one line", "Fix the bug.")
    assert [(a.text, a.line) for a in case.assertions] == [
        ('test -f "$WORLD/a"', 8),
        ('grep -q x "$OUTPUT"', 9),
    ]
    assert [(c.text, c.line) for c in case.criteria] == [("It is fixed.", 12)]


def test_the_prompt_is_kept_byte_for_byte(tmp_path: Path) -> None:
    body = "First  line,\ttab.\n\n```md\n## Prompt\n```\n\n  indented, trailing  "
    case = load_case(case_file(tmp_path, f"{HEAD}## Prompt\n\n{body}\n\n{SOFT}"))
    assert case.prompt == body


def test_a_remark_after_a_heading_is_allowed(tmp_path: Path) -> None:
    text = HEAD + PROMPT + "## Soft criteria (for the judge)\n- Good.\n"
    assert load_case(case_file(tmp_path, text)).criteria[0].text == "Good."


def test_hard_assertions_are_optional(tmp_path: Path) -> None:
    assert load_case(case_file(tmp_path, HEAD + PROMPT + SOFT)).assertions == ()


def test_a_criterion_may_run_over_lines(tmp_path: Path) -> None:
    text = HEAD + PROMPT + "## Soft criteria\n- One\n  and more.\n- Two\n"
    assert [c.text for c in load_case(case_file(tmp_path, text)).criteria] == ["One and more.", "Two"]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        pytest.param(PROMPT + SOFT, 1, "description", id="no-front-matter"),
        pytest.param(
            "---\ndescription: a\nruns: 3\n---\n" + PROMPT + SOFT, 3, "runs is not a key", id="unknown-key"
        ),
        pytest.param(
            "---\ndescription: |\n  a\n  b\n---\n" + PROMPT + SOFT, 2, "one line", id="long-description"
        ),
        pytest.param("---\ndescription: [\n---\n" + PROMPT + SOFT, 4, "not YAML", id="broken-yaml"),
        pytest.param(HEAD + SOFT, 1, "no '## Prompt'", id="no-prompt"),
        pytest.param(HEAD + PROMPT, 1, "no '## Soft criteria'", id="no-criteria"),
        pytest.param(HEAD + "## Prompt\n\n" + SOFT, 4, "empty", id="empty-prompt"),
        pytest.param(HEAD + PROMPT + "## Soft criteria\n\n", 6, "at least one", id="no-criterion"),
        pytest.param(HEAD + PROMPT + PROMPT + SOFT, 6, "second '## Prompt'", id="doubled"),
        pytest.param(
            HEAD + PROMPT + "## Hard assertion\n" + SOFT, 6, "did you mean '## Hard assertions'", id="near"
        ),
        pytest.param(HEAD + PROMPT + "## Notes\nx\n" + SOFT, 6, "not a section", id="unknown-section"),
        pytest.param(HEAD + "hello\n" + PROMPT + SOFT, 4, "text before", id="text-before"),
        pytest.param(HEAD + "## Prompt\n```\nx\n" + SOFT, 5, "never ends", id="open-fence"),
        pytest.param(
            HEAD + PROMPT + "## Hard assertions\ntest -f a\n" + SOFT, 7, "only one ```sh", id="no-block"
        ),
        pytest.param(
            HEAD + PROMPT + "## Hard assertions\n```bash\ntest -f a\n```\n" + SOFT,
            7,
            "marked ```sh",
            id="not-sh",
        ),
        pytest.param(
            HEAD + PROMPT + "## Hard assertions\n```sh\ntest -f a\n```\n```sh\ntest -f b\n```\n" + SOFT,
            6,
            "exactly one",
            id="two-blocks",
        ),
        pytest.param(HEAD + PROMPT + "## Hard assertions\n```sh\n```\n" + SOFT, 6, "empty", id="empty-block"),
        pytest.param(hard("if true"), 8, "complete predicate", id="half-an-if"),
        pytest.param(hard("test -f a &&"), 8, "complete predicate", id="trailing-and"),
        pytest.param(hard("test -f a", "(grep x"), 9, "complete predicate", id="open-bracket"),
        pytest.param(hard("test -f a \\"), 8, "backslash", id="continued"),
        pytest.param(hard("cat <<EOF"), 8, "heredoc", id="heredoc"),
        pytest.param(hard("sleep 1 &"), 8, "exit code is lost", id="background"),
        pytest.param(hard("# a note"), 8, "always pass", id="NM11-comment-only"),
        pytest.param(hard("true"), 8, "checks nothing", id="NM11-checks-nothing"),
        pytest.param(
            HEAD + PROMPT + "## Soft criteria\n- The new version is better.\n", 7, "arm", id="arm-named"
        ),
        pytest.param(
            HEAD + PROMPT + "## Soft criteria\n- Better than the baseline\n", 7, "arm", id="baseline-named"
        ),
        pytest.param(HEAD + PROMPT + "## Soft criteria\n- Output A should win\n", 7, "arm", id="label-named"),
        pytest.param(
            HEAD + PROMPT + "## Soft criteria\n- Follows adr-new\n", 7, "skill", id="skill-in-criterion"
        ),
        pytest.param(HEAD + "## Prompt\nUse adr-new here.\n" + SOFT, 4, "'adr-new'", id="skill-named"),
        pytest.param(
            HEAD + "## Prompt\nos-adr:adr-new please\n" + SOFT, 4, "'adr-new'", id="skill-named-in-full"
        ),
        pytest.param(HEAD + "## Prompt\nIs there a Skill for it?\n" + SOFT, 4, "hints", id="the-word"),
        pytest.param(HEAD + "## Prompt\n/review the file\n" + SOFT, 4, "slash command", id="slash"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    found = problems(tmp_path, text, ("adr-new",))
    assert any(at == line and says in what for at, what in found), found


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    text = "---\nx: 1\n---\n## Promt\n/go\n## Seed\nhm\n## Hard assertions\n```sh\nif\n```\n"
    assert len(problems(tmp_path, text)) >= 6


@pytest.mark.parametrize(
    "prompt",
    ["Read /etc/hosts and tell me.", "Make it skilful.", "A new file, not the old one.", "the adr-news list"],
    ids=["a-path", "a-word-within", "plain-old-and-new", "longer-name"],
)
def test_an_honest_prompt_passes(tmp_path: Path, prompt: str) -> None:
    text = f"{HEAD}## Prompt\n{prompt}\n{SOFT}"
    assert load_case(case_file(tmp_path, text), names=["adr-new"]).prompt == prompt


@pytest.mark.parametrize(
    "line",
    [
        'grep -q "<<" "$OUTPUT"',
        "test $((1<<2)) -eq 4",
        "grep -q 'a &' \"$OUTPUT\"",
        "true && test -f a",
        "grep '#' a",
    ],
)
def test_a_complete_line_passes(tmp_path: Path, line: str) -> None:
    assert load_case(case_file(tmp_path, hard(line))).assertions[0].text == line


def test_a_stray_beside_the_case_is_told(tmp_path: Path) -> None:
    path = case_file(tmp_path, HEAD + PROMPT + SOFT)
    (path.parent / "fixtures").mkdir()
    with pytest.raises(AuthoringError, match="does not belong beside a case"):
        load_case(path)
