"""What is asked of a judge, and what came back, before anybody decides whether it may count."""

from collections.abc import Callable, Mapping

from msgspec import Struct, field


class Document(Struct, frozen=True, kw_only=True):
    """Something that the judge reads as material; nothing in it is an instruction."""

    label: str
    """What the judge calls it, such as ``A/review.md``; never the name of an arm."""
    text: str


class JudgeRequest(Struct, frozen=True, kw_only=True):
    kind: str
    """comparator, grader, proposal or audit."""
    prompt: str
    schema: Mapping[str, object]
    model: str
    documents: tuple[Document, ...] = ()
    """The material as it stands in ``prompt``."""
    timeout_s: float = 120.0


class JudgeReply(Struct, frozen=True, kw_only=True):
    raw: str
    """All the text that came back, kept as it was."""
    structured: object = None
    """What the CLI checked against the schema; None: judge the raw text."""
    outage: str = ""
    """Why no judge answered (API error, time limit, refusal of the API), or ''."""
    cost_usd: float = 0.0
    model_id: str = ""
    duration_s: float = 0.0


Ask = Callable[[JudgeRequest], JudgeReply]


class Refusal(Struct, frozen=True, kw_only=True):
    """Why a reply does not count."""

    reason: str
    breach: bool = True
    """The reply broke the schema, so one repair may be asked for; False: there was no reply to repair."""


class Answer(Struct, frozen=True, kw_only=True):
    """What came of one question, repair included; ``value`` None: invalid, for ``reason``."""

    value: Mapping[str, object] | None
    reason: str = ""
    raws: tuple[str, ...] = ()
    cost_usd: float = 0.0
    model_id: str = ""
    cached: bool = False


class Output(Struct, frozen=True, kw_only=True):
    """What one run gave: its final message, and the text of the files that it left new or changed."""

    message: str
    files: Mapping[str, str] = field(default_factory=dict)
    """By path from the world's root."""

    @property
    def empty(self) -> bool:
        return not self.message.strip() and not self.files
