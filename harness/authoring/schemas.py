"""JSON Schemas of the YAML files that authors write, for completion and checks in an editor.

The loaders decide what is right; a test holds every file of this repository, and every key that they read, against these.
"""

from collections.abc import Mapping

import orjson

from harness.loaders.suite import PERMISSION_MODES
from harness.model.grid import ENGINES
from harness.model.outcome import Status, Verdict

SCHEMA_FOLDER = "scenarios/.schema"
_DIALECT = "http://json-schema.org/draft-07/schema#"

Schema = dict[str, object]


def _object(properties: Mapping[str, object], *, required: tuple[str, ...] = (), about: str = "") -> Schema:
    made: Schema = {"type": "object", "additionalProperties": False, "properties": dict(properties)}
    if required:
        made["required"] = list(required)
    if about:
        made["description"] = about
    return made


def _text(about: str) -> Schema:
    return {"type": "string", "description": about}


def _texts(about: str) -> Schema:
    return {"type": ["array", "null"], "items": {"type": "string"}, "description": about}


def _flag(about: str) -> Schema:
    return {"type": "boolean", "description": about}


def _number(about: str, *, whole: bool = False, least: float = 0) -> Schema:
    return {"type": "integer" if whole else "number", "minimum": least, "description": about}


def _list(items: object, about: str) -> Schema:
    return {"type": "array", "items": items, "description": about}


def _choice(values: tuple[str, ...], about: str) -> Schema:
    return {"enum": list(values), "description": about}


_LIMITS = _object(
    {
        "timeout_s": _number("Seconds that a run may take; then it has timed out."),
        "idle_s": _number("Seconds without any output."),
        "startup_s": _number("Seconds until the first output."),
        "grace_s": _number("Seconds that the process may live on after its result."),
        "max_turns": _number("Turns of the model.", whole=True, least=1),
        "max_cost_usd": _number("Dollars; a run that reaches them is invalid."),
    },
    about="Bounds of one run.",
)
_ADR = {"type": "string", "pattern": "^ADR-\\d+$"}
_RULE = _object(
    {
        "path": _text("A glob from the world's root, such as src/**/*.py."),
        "matches": _text("True if any such file matches this regular expression."),
        "lacks": _text("True if no such file matches it."),
        "exists": _flag("Whether there is such a file."),
    },
    required=("path",),
    about="A question about the files after the run; exactly one of matches, lacks, exists.",
)
_AXIS = {"type": ["boolean", "null"], "description": "null: not judged."}
_FREE = {"type": "object"}

_TURN = _object(
    {
        "text": _text("What the model says."),
        "tools": _list(
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": {"type": "object"},
            },
            "Calls of one message: a tool's name and its input.",
        ),
        "use": _text("Turns of this name in turns.yaml stand here."),
        "with": {**_FREE, "description": "What fills {{name}} in them."},
        "error": _object(
            {
                "status": _number("HTTP status.", whole=True, least=400),
                "type": _text("As the API names it, e.g. overloaded_error."),
                "message": _text("What it says."),
                "times": _number("Requests that get it; all that follow if not given.", whole=True, least=1),
                "headers": _FREE,
            },
            required=("status",),
            about="The API fails in place of this turn.",
        ),
        "fault": _choice(
            ("", "hang", "reset", "cut", "malformed"), "What the server does instead of answering."
        ),
        "delay_s": _number("Seconds before the answer."),
    }
)
_TURNS = _list(_TURN, "Turns of the model, in order; the last one has text alone.")

SUITE = _object(
    {
        "suite": _text("The folder's name."),
        "description": _text("One line."),
        "plugin": _text("The plugin's folder, from the project's root."),
        "held_out": _flag("Whether optimising loops are kept from these scenarios."),
        "axis_a": _object(
            {
                "literal": _flag("Only Skill, program, Read and Glob count; no shell equivalents."),
                "skills": _texts("Globs over skills, such as my-plugin:*."),
                "commands": _texts("Globs over programs that the model runs in its shell."),
                "paths": _texts("Globs over paths of the world that it reads, lists or searches."),
            },
            about="Any one such call, unprompted, makes axis a true.",
        ),
        "hook": _object(
            {"event": _text("SessionStart, for instance."), "contains": _text("Words of the hook's text.")},
            required=("event", "contains"),
            about="Text that must be in context before the first action; without it a run is invalid.",
        ),
        "adr": _object({"dir": _text("Where decisions are in a world; docs/adr if not given.")}),
        "arms": _list({"enum": ["baseline", "old", "new"]}, "Arms that run if none is asked for."),
        "limits": _LIMITS,
        "never_say": _texts("Words that no prompt may hold."),
        "playbook_kinds": _texts("Kinds that every scenario must have a playbook of."),
        "tools": _texts("Tools to allow beyond the default, for --allowedTools."),
        "only_tools": _texts(
            "The only tools that the arm gets, for --tools; all that the CLI offers if not given."
        ),
        "permission_mode": _choice(PERMISSION_MODES, "Of the claude under test."),
        "env": {"type": ["object", "null"], "description": "Plain variables for the runs; no secrets."},
        "jail": _object(
            {
                "read_only": _texts(
                    "Absolute paths of this machine that runs may see, a toolchain for instance."
                ),
                "network": _flag("Whether runs reach the network."),
            },
            about="What is opened in the jail.",
        ),
        "requires": _texts("Ids of scenarios that must be there."),
    },
    required=("suite", "plugin", "axis_a"),
)
SCENARIO = _object(
    {
        "id": _text("The folder's name."),
        "title": _text("One line."),
        "kind": _choice(
            ("retrieval", "write-trigger"), "Whether a decision is to be found, or to be written."
        ),
        "held_out": _flag("As in the suite."),
        "tags": _texts("For --tag."),
        "fixture": _text("The world to start from: a folder under fixtures/."),
        "prompt": _text("What a user asks, and nothing that gives the answer away."),
        "expect": _object(
            {
                "adr": {**_ADR, "description": "retrieval: the decision that governs the change."},
                "distractors": _list(_ADR, "retrieval: decisions that look like it."),
                "acted": _list(_RULE, "retrieval: all hold, so it was acted on."),
                "against": _list(_RULE, "retrieval: any holds, so it was not."),
                "status": _texts("write-trigger: allowed states of the new decision."),
                "topic": _list(
                    _list({"type": "string"}, ""), "write-trigger: of each group one term must occur."
                ),
                "affected_paths": _texts("write-trigger: the new decision's must overlap these."),
                "supersedes": {**_ADR, "description": "write-trigger: the decision that it replaces."},
            }
        ),
        "rubric": _text("write-trigger: what the judge is asked about the final message."),
        "graph": _object(
            {
                "conflict": _text("A file."),
                "affected": _text("The file one import away that a decision names."),
            },
            required=("conflict", "affected"),
        ),
        "never_say": _texts("Beside the suite's."),
        "limits": _LIMITS,
    },
    required=("id", "kind", "fixture", "prompt", "expect"),
)
PLAYBOOK = _object(
    {
        "kind": _text("One of the suite's playbook_kinds."),
        "note": _text("Why this must get the verdict below."),
        "expect": _object(
            {
                "status": _choice(tuple(s.value for s in Status), "completed if not given."),
                "verdict": _choice(tuple(v.value for v in Verdict), "What the checks must say."),
                "axis_a": _AXIS,
                "axis_b": _AXIS,
            },
            required=("verdict", "axis_a", "axis_b"),
        ),
        "max_turns": _number("In place of the limit.", whole=True, least=1),
        "deny": _texts("Tool rules to refuse, such as Bash(cat:*)."),
        "turns": _TURNS,
        "subagents": _list(
            _object(
                {"match": _text("Words in the subagent's prompt."), "turns": _TURNS},
                required=("match", "turns"),
            ),
            "Conversations that an Agent call starts.",
        ),
        "judge": _list(_FREE, "Answers of the proposal judge, in order."),
    },
    required=("kind", "expect", "turns"),
)
TURNS: Schema = {"type": "object", "additionalProperties": _TURNS}
GRID = _object(
    {
        "suites": _list({"type": "string"}, "Names of suites."),
        "scenarios": _texts("Globs over ids."),
        "tags": _texts("Only scenarios with one of them."),
        "arms": _texts("baseline, old, new; the suite's if not given."),
        "models": _list({"type": "string"}, "haiku, sonnet, opus, a full id, or scripted:NAME."),
        "trials": _number("Runs of each cell.", whole=True, least=1),
        "seed": _number("Orders the cells.", whole=True),
        "jobs": _number("Runs at once.", whole=True, least=1),
        "limits": _LIMITS,
        "budget": _object(
            {"usd": _number("Dollars, all runs together."), "runs": _number("Runs.", whole=True, least=1)}
        ),
        "sandbox": _choice(("auto", "tempdir", "jail"), "auto takes the strongest that works."),
        "engine": _choice(ENGINES, "Where the runs take place."),
        "workers": _number("With dask: workers on this machine.", whole=True, least=1),
        "scheduler": _text("With dask: tcp://HOST:PORT."),
        "old": _text("The git ref of the arm old."),
        "retries": _number("More tries for a cell that came out invalid.", whole=True),
        "max_wait_s": _number("The longest to wait for an API that turns runs away."),
        "results": _text("Folder of results.tsv and runs/."),
    },
    required=("suites", "models"),
)
SCHEMAS: Mapping[str, Schema] = {
    "suite": SUITE,
    "scenario": SCENARIO,
    "playbook": PLAYBOOK,
    "turns": TURNS,
    "grid": GRID,
}


def schema_text(kind: str) -> str:
    document = {"$schema": _DIALECT, "title": f"harness {kind}", **SCHEMAS[kind]}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"


def schema_files() -> Mapping[str, str]:
    return {f"{kind}.json": schema_text(kind) for kind in SCHEMAS}
