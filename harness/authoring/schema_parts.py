"""The words that the schemas are written in, and the parts that several of them share."""

from collections.abc import Mapping

Schema = dict[str, object]


def mapping_of(
    properties: Mapping[str, object], *, required: tuple[str, ...] = (), about: str = ""
) -> Schema:
    made: Schema = {"type": "object", "additionalProperties": False, "properties": dict(properties)}
    if required:
        made["required"] = list(required)
    if about:
        made["description"] = about
    return made


def text(about: str) -> Schema:
    return {"type": "string", "description": about}


def texts(about: str) -> Schema:
    return {"type": ["array", "null"], "items": {"type": "string"}, "description": about}


def flag(about: str) -> Schema:
    return {"type": "boolean", "description": about}


def number(about: str, *, whole: bool = False, least: float = 0) -> Schema:
    return {"type": "integer" if whole else "number", "minimum": least, "description": about}


def list_of(items: object, about: str) -> Schema:
    return {"type": "array", "items": items, "description": about}


def choice(values: tuple[str, ...], about: str) -> Schema:
    return {"enum": list(values), "description": about}


LIMITS = mapping_of(
    {
        "timeout_s": number("Seconds that a run may take; then it has timed out."),
        "idle_s": number("Seconds without any output."),
        "startup_s": number("Seconds until the first output."),
        "grace_s": number("Seconds that the process may live on after its result."),
        "max_turns": number("Turns of the model.", whole=True, least=1),
        "max_cost_usd": number("Dollars; a run that reaches them is invalid."),
    },
    about="Bounds of one run.",
)
ADR = {"type": "string", "pattern": "^ADR-\\d+$"}
RULE = mapping_of(
    {
        "path": text("A glob from the world's root, such as src/**/*.py."),
        "matches": text("True if any such file matches this regular expression."),
        "lacks": text("True if no such file matches it."),
        "exists": flag("Whether there is such a file."),
    },
    required=("path",),
    about="A question about the files after the run; exactly one of matches, lacks, exists.",
)
AXIS = {"type": ["boolean", "null"], "description": "null: not judged."}
FREE = {"type": "object"}

TURN = mapping_of(
    {
        "text": text("What the model says."),
        "tools": list_of(
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": {"type": "object"},
            },
            "Calls of one message: a tool's name and its input.",
        ),
        "use": text("Turns of this name in turns.yaml stand here."),
        "with": {**FREE, "description": "What fills {{name}} in them."},
        "error": mapping_of(
            {
                "status": number("HTTP status.", whole=True, least=400),
                "type": text("As the API names it, e.g. overloaded_error."),
                "message": text("What it says."),
                "times": number("Requests that get it; all that follow if not given.", whole=True, least=1),
                "headers": FREE,
            },
            required=("status",),
            about="The API fails in place of this turn.",
        ),
        "fault": choice(
            ("", "hang", "reset", "cut", "malformed"), "What the server does instead of answering."
        ),
        "delay_s": number("Seconds before the answer."),
    }
)
TURNS_LIST = list_of(TURN, "Turns of the model, in order; the last one has text alone.")
