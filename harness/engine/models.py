"""What answers for the model of a cell: a playbook, or the API with the user's own credential."""

from harness.claude.launch import is_scripted
from harness.engine.box import Box
from harness.engine.setting import Setting
from harness.gateway.credential import placeholder_env
from harness.gateway.exchange import Responder
from harness.gateway.scripted import ScriptedModel
from harness.model.cell import Cell
from harness.model.scenario import Playbook

SCRIPTED_RETRIES = "1"
"""Retries of a failed request on a playbook: one shows the retry, more only cost time."""


def responder_for(
    cell: Cell, playbook: Playbook | None, box: Box, setting: Setting, skill: str = ""
) -> Responder:
    """``skill``: what a playbook says for ``{{skill}}``."""
    if playbook is not None:
        seen = {
            "world": box.place.world_seen_as,
            "home": box.place.home_seen_as,
            "plugin": box.plugin_seen_as or "",
            "skill": skill,
            "braces": "{{",  # so that a playbook can say them
        }
        return ScriptedModel(playbook, seen)
    assert setting.forward is not None, "a real model is planned only with a credential"
    return setting.forward


def api_env(cell: Cell, token: str, url: str, setting: Setting) -> dict[str, str]:
    """The variables that lead claude to the gateway; the token stands where the credential would."""
    if is_scripted(cell.model):
        key = {"ANTHROPIC_API_KEY": token, "CLAUDE_CODE_MAX_RETRIES": SCRIPTED_RETRIES}
    else:
        assert setting.credential is not None, "a real model is planned only with a credential"
        key = placeholder_env(setting.credential, token)
    return {"ANTHROPIC_BASE_URL": url, **key}


def wire_name(cell: Cell, setting: Setting) -> str:
    """Where answers come from, as the row says it: ``forward`` is the API without a record of it."""
    if is_scripted(cell.model):
        return "scripted"
    return "record" if setting.record else "forward"
