"""Files made from templates, never over one that is there."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from harness.authoring.sample import Sample
from harness.errors import UserError

if TYPE_CHECKING:
    from jinja2 import Environment

_IGNORED = "results/"
_TEMPLATES = Path(__file__).parent / "templates"


class Writer(Struct):
    root: Path
    written: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    """Files that were there already, and were left as they are."""

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        if path.exists():
            self.kept.append(path)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}") from error
        self.written.append(path)

    def world(self, folder: str, sample: Sample) -> None:
        """The fixture that the sample's request is about."""
        self.write(f"{folder}/{sample.file}", sample.module)
        self.render(f"{folder}/docs/adr/0001-{sample.slug}.md", "suite/adr.md", sample=sample)

    def render(self, name: str, template: str, **values: object) -> None:
        self.write(name, render(template, **values))


def ignore_results(root: Path) -> tuple[str, ...]:
    """Keep results out of the repository; the notes say what was done."""
    path = root / ".gitignore"
    text = path.read_text(encoding="utf-8", errors="surrogateescape") if path.is_file() else ""
    if {_IGNORED, "results", "/results/", "/results"} & set(text.split("\n")):
        return ()
    end = "" if not text or text.endswith("\n") else "\n"
    path.write_text(f"{text}{end}{_IGNORED}\n", encoding="utf-8", errors="surrogateescape")
    return (f"{path} now leaves out {_IGNORED}",)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # {{…}} and {%…%} belong to playbooks and workflows. The texts are YAML and Markdown, not HTML.
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - what is made is no HTML
        keep_trailing_newline=True,
        variable_start_string="<< ",
        variable_end_string=" >>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
    )


def render(template: str, **values: object) -> str:
    return _environment().get_template(template).render(**values)
