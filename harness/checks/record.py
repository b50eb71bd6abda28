"""What one run left behind, loaded and ready to be judged; nothing here is asked of a live process."""

from collections.abc import Mapping

from msgspec import Struct, field

from harness.claude.session import HookContext
from harness.model.change import Change
from harness.model.run import ProcessExit
from harness.model.transcript import Transcript


class ExpectedPlugin(Struct, frozen=True, kw_only=True):
    """The plugin that the arm should have had, or (``present`` False) should not have had."""

    name: str
    skills: tuple[str, ...]
    present: bool
    root: str | None
    """Where the arm saw the plugin's folder."""


class ExpectedSkill(Struct, frozen=True, kw_only=True):
    """The skill that the arm should have had, or (``present`` False) should not have had."""

    name: str
    present: bool


class Record(Struct, frozen=True, kw_only=True):
    transcript: Transcript
    exit: ProcessExit
    changes: tuple[Change, ...] | None
    """None: the world was not there to look at."""
    session: tuple[HookContext, ...] | None
    """None: no session file."""
    first_request: str | None
    """All text of the first request of the main conversation; None where no gateway saw it."""
    gateway_failure: str
    """Why the gateway could not answer, or ''."""
    api_pending: bool | None
    """Whether the API owed an answer when the process was ended; None where nobody knows."""
    world: str | None
    """The world's path as the arm saw it."""
    plugin: ExpectedPlugin | None
    model_asked: str | None
    skill: ExpectedSkill | None = None
    tampered: tuple[str, ...] = ()
    """Canonical paths (fixture, plugin, repository) that changed while the run was on."""
    stderr: str = ""
    """The head of what claude said on stderr."""
    strangers: tuple[str, ...] | None = None
    """Skills and commands in the list that nobody asked for; None where nobody knows."""
    hidden: Mapping[str, str] = field(default_factory=dict)
    """Programs that were sought in vain because the jail does not show them, and where they are outside."""
