"""JSON Schemas of the YAML files that authors write, for completion and checks in an editor.

The loaders decide what is right; a test holds every file of this repository, and every key that they read, against these.
"""

from collections.abc import Iterable, Mapping

import orjson

from harness.authoring.schema_parts import (
    ADR,
    AXIS,
    FREE,
    LIMITS,
    RULE,
    TURNS_LIST,
    Schema,
    choice,
    flag,
    list_of,
    mapping_of,
    number,
    text,
    texts,
)
from harness.loaders.suite import PERMISSION_MODES
from harness.model.grid import ENGINES
from harness.model.outcome import Status, Verdict

SCHEMA_FOLDER, CASE_SCHEMA_FOLDER = "scenarios/.schema", "tests/skills/.schema"
"""Beside suites, and beside cases of skills."""
SCENARIO_KINDS = ("suite", "scenario", "playbook", "turns", "grid")
CASE_KINDS = ("skills", "playbook", "grid")
_DIALECT = "http://json-schema.org/draft-07/schema#"

SUITE = mapping_of(
    {
        "suite": text("The folder's name."),
        "description": text("One line."),
        "plugin": text("The plugin's folder, from the project's root."),
        "held_out": flag("Whether optimising loops are kept from these scenarios."),
        "axis_a": mapping_of(
            {
                "literal": flag("Only Skill, program, Read and Glob count; no shell equivalents."),
                "skills": texts("Globs over skills, such as my-plugin:*."),
                "commands": texts("Globs over programs that the model runs in its shell."),
                "paths": texts("Globs over paths of the world that it reads, lists or searches."),
            },
            about="Any one such call, unprompted, makes axis a true.",
        ),
        "hook": mapping_of(
            {"event": text("SessionStart, for instance."), "contains": text("Words of the hook's text.")},
            required=("event", "contains"),
            about="Text that must be in context before the first action; without it a run is invalid.",
        ),
        "adr": mapping_of({"dir": text("Where decisions are in a world; docs/adr if not given.")}),
        "arms": list_of({"enum": ["baseline", "old", "new"]}, "Arms that run if none is asked for."),
        "limits": LIMITS,
        "never_say": texts("Words that no prompt may hold."),
        "playbook_kinds": texts("Kinds that every scenario must have a playbook of."),
        "tools": texts("Tools to allow beyond the default, for --allowedTools."),
        "only_tools": texts(
            "The only tools that the arm gets, for --tools; all that the CLI offers if not given."
        ),
        "permission_mode": choice(PERMISSION_MODES, "Of the claude under test."),
        "env": {"type": ["object", "null"], "description": "Plain variables for the runs; no secrets."},
        "jail": mapping_of(
            {
                "read_only": texts(
                    "Absolute paths of this machine that runs may see, a toolchain for instance."
                ),
                "network": flag("Whether runs reach the network."),
            },
            about="What is opened in the jail.",
        ),
        "requires": texts("Ids of scenarios that must be there."),
    },
    required=("suite", "plugin", "axis_a"),
)
SCENARIO = mapping_of(
    {
        "id": text("The folder's name."),
        "title": text("One line."),
        "kind": choice(
            ("retrieval", "write-trigger"), "Whether a decision is to be found, or to be written."
        ),
        "held_out": flag("As in the suite."),
        "tags": texts("For --tag."),
        "fixture": text("The world to start from: a folder under fixtures/."),
        "prompt": text("What a user asks, and nothing that gives the answer away."),
        "expect": mapping_of(
            {
                "adr": {**ADR, "description": "retrieval: the decision that governs the change."},
                "distractors": list_of(ADR, "retrieval: decisions that look like it."),
                "acted": list_of(RULE, "retrieval: all hold, so it was acted on."),
                "against": list_of(RULE, "retrieval: any holds, so it was not."),
                "status": texts("write-trigger: allowed states of the new decision."),
                "topic": list_of(
                    list_of({"type": "string"}, ""), "write-trigger: of each group one term must occur."
                ),
                "affected_paths": texts("write-trigger: the new decision's must overlap these."),
                "supersedes": {**ADR, "description": "write-trigger: the decision that it replaces."},
            }
        ),
        "rubric": text("write-trigger: what the judge is asked about the final message."),
        "graph": mapping_of(
            {
                "conflict": text("A file."),
                "affected": text("The file one import away that a decision names."),
            },
            required=("conflict", "affected"),
        ),
        "never_say": texts("Beside the suite's."),
        "limits": LIMITS,
    },
    required=("id", "kind", "fixture", "prompt", "expect"),
)
PLAYBOOK = mapping_of(
    {
        "kind": text("One of the suite's playbook_kinds."),
        "note": text("Why this must get the verdict below."),
        "expect": mapping_of(
            {
                "status": choice(tuple(s.value for s in Status), "completed if not given."),
                "verdict": choice(tuple(v.value for v in Verdict), "What the checks must say."),
                "axis_a": AXIS,
                "axis_b": AXIS,
            },
            required=("verdict", "axis_a", "axis_b"),
        ),
        "max_turns": number("In place of the limit.", whole=True, least=1),
        "deny": texts("Tool rules to refuse, such as Bash(cat:*)."),
        "turns": TURNS_LIST,
        "subagents": list_of(
            mapping_of(
                {"match": text("Words in the subagent's prompt."), "turns": TURNS_LIST},
                required=("match", "turns"),
            ),
            "Conversations that an Agent call starts.",
        ),
        "judge": list_of(FREE, "Answers of the proposal judge, in order."),
    },
    required=("kind", "expect", "turns"),
)
TURNS: Schema = {"type": "object", "additionalProperties": TURNS_LIST}
SKILLS = mapping_of(
    {
        "old": text("The git ref of the arm old, or path:FOLDER; without it there is none."),
        "trials": number("Runs of each case and arm; 3 if not given.", whole=True, least=1),
        "judge_model": text("Who compares the arms; haiku if not given."),
        "permission_mode": choice(PERMISSION_MODES, "Of the claude under test."),
        "tools": texts("Tools to allow beyond the default, for --allowedTools."),
        "trigger_turns": number("Turns within which the skill must come in at a query.", whole=True, least=1),
        "limits": LIMITS,
        "rule": mapping_of(
            {
                "min_valid_trials": number("Fewer trials or pairs conclude nothing.", whole=True, least=1),
                "lead_over_baseline": number("Wins minus losses against no skill.", whole=True, least=-1000),
                "lead_over_old": number("Wins minus losses against old.", whole=True, least=-1000),
                "rewrite_gate_share": number("Of trials with a red gate, from which on it is critical."),
            },
            about="When a case passes.",
        ),
    }
)
GRID = mapping_of(
    {
        "suites": list_of({"type": "string"}, "Names of suites."),
        "skills": text(
            "In place of suites, tags and arms: the folder of a tree of skills, from the project's root."
        ),
        "skill": text("With skills: a glob over their paths and names."),
        "judge_model": text("With skills: who compares the arms; as suite.yaml says if not given."),
        "scenarios": texts("Globs over ids, of cases with skills."),
        "tags": texts("Only scenarios with one of them."),
        "arms": texts("baseline, old, new; the suite's if not given."),
        "models": list_of({"type": "string"}, "haiku, sonnet, opus, a full id, or scripted:NAME."),
        "trials": number("Runs of each cell.", whole=True, least=1),
        "seed": number("Orders the cells.", whole=True),
        "jobs": number("Runs at once.", whole=True, least=1),
        "limits": LIMITS,
        "budget": mapping_of(
            {"usd": number("Dollars, all runs together."), "runs": number("Runs.", whole=True, least=1)}
        ),
        "sandbox": choice(("auto", "tempdir", "jail"), "auto takes the strongest that works."),
        "engine": choice(ENGINES, "Where the runs take place."),
        "workers": number("With dask: workers on this machine.", whole=True, least=1),
        "scheduler": text("With dask: tcp://HOST:PORT."),
        "old": text("The git ref of the arm old."),
        "retries": number("More tries for a cell that came out invalid.", whole=True),
        "max_wait_s": number("The longest to wait for an API that turns runs away."),
        "results": text("Folder of results.tsv and runs/."),
    },
    required=("models",),
)
GRID["oneOf"] = [{"required": ["suites"]}, {"required": ["skills"]}]
SCHEMAS: Mapping[str, Schema] = {
    "suite": SUITE,
    "scenario": SCENARIO,
    "playbook": PLAYBOOK,
    "turns": TURNS,
    "skills": SKILLS,
    "grid": GRID,
}


def schema_text(kind: str) -> str:
    document = {"$schema": _DIALECT, "title": f"harness {kind}", **SCHEMAS[kind]}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"


def schema_files(kinds: Iterable[str]) -> Mapping[str, str]:
    """By file name."""
    return {f"{kind}.json": schema_text(kind) for kind in kinds}
