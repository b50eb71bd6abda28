"""The proposal judge of one run: asked through the gateway, answered by the API or by the playbook."""

import os
import secrets
from typing import TYPE_CHECKING

import orjson
from msgspec import structs

from harness.checks.verdict import Propose
from harness.claude.launch import SCRIPTED_MODEL
from harness.engine.models import SCRIPTED_RETRIES, api_env
from harness.engine.setting import Setting
from harness.gateway.exchange import Responder
from harness.model.cell import Cell
from harness.model.check import Finding
from harness.model.scenario import Playbook, WriteExpectation
from harness.results.folder import RunFolder

if TYPE_CHECKING:
    from harness.judges.propose import Proposal

NAME = "proposal.json"
STORE = "judgements"


def proposer(cell: Cell, playbook: Playbook | None, folder: RunFolder, setting: Setting) -> Propose | None:
    """Asks about the final message of the cell's run and keeps what came back as ``proposal.json``."""
    expect = cell.scenario.expect
    if not isinstance(expect, WriteExpectation):
        return None

    from harness.judges.propose import finding_of  # a run of another kind does without judges

    def propose(message: str) -> Finding:
        with setting.desk.away():
            made = _ask(expect.rubric, message, cell, playbook, setting)
        folder.write(NAME, orjson.dumps(made, default=structs.asdict, option=orjson.OPT_INDENT_2))
        return finding_of(made)

    return propose


def _ask(rubric: str, message: str, cell: Cell, playbook: Playbook | None, setting: Setting) -> "Proposal":
    from harness.gateway.judge import ScriptedJudge
    from harness.judges.claude import claude_judge
    from harness.judges.propose import judge_proposal
    from harness.judges.store import Store

    token = secrets.token_urlsafe(24)
    responder: Responder
    if playbook is not None:
        responder, store, model = ScriptedJudge(playbook.judge), None, SCRIPTED_MODEL
    else:
        assert setting.forward is not None, "a real model is planned only with a credential"
        # A kept answer is the same answer: the judge is asked once for a message and rubric.
        responder, store, model = setting.forward, Store(setting.results / STORE), setting.judge_model
    setting.gateway.open(token, responder)
    try:
        ask = claude_judge(
            str(setting.claude.path),
            api_env=api_env(cell, token, setting.gateway.url, setting),
            path=os.environ.get("PATH", os.defpath),
            retries=int(SCRIPTED_RETRIES) if playbook is not None else 4,
        )
        return judge_proposal(rubric, message, ask=ask, model=model, store=store)
    finally:
        setting.gateway.close(token)
