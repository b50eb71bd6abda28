"""Every command in the documentation works: shown with a remark it is run, and any other is at least one that there is."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from harness.cli import app
from tests.docs.blocks import Block, shell_blocks

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
OURS = ("first-hour.md", "scenarios.md", "results.md", "jail.md")
"""Pages on which a block is run, or says why not."""
PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "pr-helper", "version": "0.1.0", "description": "d"}',
    "skills/reviewer/SKILL.md": "---\nname: reviewer\ndescription: Review a change\n---\nLook at the diff.\n",
}
SKILLS = {"skills/reviewer/SKILL.md": PLUGIN["skills/reviewer/SKILL.md"]}


def named(page: Path) -> str:
    return page.name


def make_world(kind: str, place: Path) -> Path:
    world = place / {"plugin": "pr-helper", "skills": "my-skills", "project": "project"}[kind]
    if world.exists():
        return world
    for name, text in {"plugin": PLUGIN, "skills": SKILLS, "project": {}}[kind].items():
        (world / name).parent.mkdir(parents=True, exist_ok=True)
        (world / name).write_text(text)
    if kind == "skills":
        subprocess.run(["git", "init", "-q", str(world)], check=True)
    for name in ("scenarios", "fixtures") if kind == "project" else ():
        shutil.copytree(ROOT / name, world / name)
    return world


def run(block: Block, place: Path) -> "subprocess.CompletedProcess[str]":
    programs = place / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / "harness"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m harness "$@"\n')
    program.chmod(0o755)
    env = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(place),
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    }
    return subprocess.run(
        ["sh", "-eu", "-c", block.script],
        cwd=make_world(block.world, place),
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )


@pytest.mark.parametrize("page", [p for p in PAGES if any(b.world for b in shell_blocks(p))], ids=named)
def test_the_blocks_of_a_page_do_what_they_say_in_order(page: Path, tmp_path: Path) -> None:
    for block in shell_blocks(page):
        if block.world:
            done = run(block, tmp_path)
            assert done.returncode == block.code, f"{page.name}:{block.line}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("name", OURS)
def test_a_block_is_run_or_says_why_not(name: str) -> None:
    assert [b.line for b in shell_blocks(ROOT / "docs" / name) if not b.world and not b.excused] == []


def harness_lines(page: Path) -> list[str]:
    text = "\n".join(block.script for block in shell_blocks(page)).replace("\\\n", " ")
    return [line.strip() for line in text.split("\n") if line.strip().startswith("harness ")]


@pytest.mark.parametrize("page", [p for p in PAGES if harness_lines(p)], ids=named)
def test_every_harness_command_is_one_that_there_is(page: Path) -> None:
    for line in harness_lines(page):
        words = shlex.split(re.split(r"\s(?:>|\||&&)", line)[0], comments=True)
        check_words(words[1:], line)


def check_words(words: list[str], line: str) -> None:
    command: object = typer.main.get_command(app)
    while (below := getattr(command, "commands", None)) and words and not words[0].startswith("-"):
        assert words[0] in below, f"no such command: {line}"
        command, words = below[words[0]], words[1:]
    known = {option for parameter in getattr(command, "params", ()) for option in parameter.opts}
    assert {w.partition("=")[0] for w in words if w.startswith("--")} <= known, line


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_make_target_is_one_that_there_is(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named_ones = {
        m for b in shell_blocks(page) for m in re.findall(r"^make ([a-z-]+)", b.script, re.MULTILINE)
    }
    assert named_ones <= targets


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
