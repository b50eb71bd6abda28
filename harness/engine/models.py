"""What answers for the model of a cell: a playbook, or the API with the user's own credential."""

from harness.claude.launch import is_scripted
from harness.engine.setting import Setting
from harness.gateway.credential import placeholder_env
from harness.gateway.exchange import Responder
from harness.model.cell import Cell
from harness.model.scenario import Playbook
from harness.world.sandbox import Sandbox

SCRIPTED_RETRIES = "1"
"""Retries of a failed request on a playbook: one shows the retry, more only cost time."""


def responder_for(cell: Cell, playbook: Playbook | None, box: Sandbox, setting: Setting) -> Responder:
    if playbook is not None:
        from harness.gateway.scripted import ScriptedModel

        seen = {"world": box.world_seen_as, "home": box.home_seen_as, "plugin": box.plugin_seen_as or ""}
        return ScriptedModel(playbook, seen)
    from harness.gateway.forward import Forward

    assert setting.credential is not None, "a real model is planned only with a credential"
    return Forward(setting.upstream, setting.credential)


def api_env(cell: Cell, token: str, url: str, setting: Setting) -> dict[str, str]:
    """The variables that lead claude to the gateway; the token stands where the credential would."""
    if is_scripted(cell.model):
        key = {"ANTHROPIC_API_KEY": token, "CLAUDE_CODE_MAX_RETRIES": SCRIPTED_RETRIES}
    else:
        assert setting.credential is not None, "a real model is planned only with a credential"
        key = placeholder_env(setting.credential, token)
    return {"ANTHROPIC_BASE_URL": url, **key}


def wire_name(cell: Cell) -> str:
    return "scripted" if is_scripted(cell.model) else "record"
