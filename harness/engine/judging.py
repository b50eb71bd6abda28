"""Judges that answer through the gateway: the API for a real model, prepared answers for a scripted one."""

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import orjson
from msgspec import Struct
from msgspec.structs import replace

from harness.claude.binary import Claude
from harness.claude.launch import model_argument
from harness.engine.models import SCRIPTED_RETRIES
from harness.engine.opening import credential_for, forward_to
from harness.errors import UserError
from harness.gateway.credential import Credential, placeholder_env
from harness.gateway.exchange import Responder
from harness.gateway.judge import ScriptedJudge
from harness.gateway.server import Gateway
from harness.judges.claude import claude_judge
from harness.judges.comparator import Comparator
from harness.judges.scripted import load_patterns, load_rules, scripted_comparator, scripted_grader
from harness.judges.store import Store
from harness.model.judge import Ask, JudgeReply, JudgeRequest

STORE = "judgements"


class Bench(Struct, frozen=True, kw_only=True):
    """What all judges of an evaluation share."""

    claude: Claude
    gateway: Gateway
    store: Store
    credential: Credential | None = None
    forward: Responder | None = None

    def real(self) -> Ask:
        """The model that a request names."""
        assert self.forward is not None, "a bench without a credential has scripted judges only"
        assert self.credential is not None, "a bench without a credential has scripted judges only"
        forward, credential = self.forward, self.credential
        return self._asking(lambda _: forward, lambda token: placeholder_env(credential, token), retries=4)

    def scripted(self, answer: Ask) -> Ask:
        """A claude whose model says what ``answer`` does: everything but the model is as with a real one."""

        def key(token: str) -> dict[str, str]:
            return {"ANTHROPIC_API_KEY": token}

        return self._asking(lambda request: _saying(answer(request)), key, retries=int(SCRIPTED_RETRIES))

    def _asking(
        self,
        responder: Callable[[JudgeRequest], Responder],
        key: Callable[[str], Mapping[str, str]],
        *,
        retries: int,
    ) -> Ask:
        def ask(request: JudgeRequest) -> JudgeReply:
            token = secrets.token_urlsafe(24)
            self.gateway.open(token, responder(request))
            try:
                judge = claude_judge(
                    str(self.claude.path),
                    api_env={"ANTHROPIC_BASE_URL": self.gateway.url, **key(token)},
                    path=os.environ.get("PATH", os.defpath),
                    retries=retries,
                )
                return judge(replace(request, model=model_argument(request.model)))
            finally:
                self.gateway.close(token)

        return ask


def _saying(reply: JudgeReply) -> ScriptedJudge:
    if reply.outage:
        return ScriptedJudge([{"error": {"status": 500, "type": "api_error", "message": reply.outage}}])
    try:
        value = orjson.loads(reply.raw)
    except orjson.JSONDecodeError:
        value = None
    return ScriptedJudge([{"structured": value} if isinstance(value, dict) else {"text": reply.raw}])


@contextmanager
def open_bench(claude: Claude, *, real: bool, results: Path, environ: Mapping[str, str]) -> Iterator[Bench]:
    """Raises UserError where a real judge is wanted and there is no credential."""
    credential = credential_for(environ) if real else None
    hidden = [credential.value] if credential is not None else []
    with Gateway(secrets=hidden) as gateway:
        yield Bench(
            claude=claude,
            gateway=gateway,
            store=Store(results / STORE),
            credential=credential,
            forward=forward_to(credential, environ),
        )


def comparator_for(bench: Bench, *, model: str, rules: Path | None, audit: bool) -> Comparator:
    """``rules``: the ``judge.yaml`` that stands in for the model; None: ``model`` itself judges."""
    if rules is None:
        return Comparator(ask=bench.real(), model=model, store=bench.store, audit=audit)
    answer = scripted_comparator(load_rules(rules) if rules.is_file() else {})
    return Comparator(ask=bench.scripted(answer), model=_name(rules), store=bench.store, audit=audit)


def grader_for(bench: Bench, *, model: str, rules: Path | None) -> tuple[Ask, str]:
    """How a grader is asked, and the name of its model; ``rules``: the ``grader.yaml`` that stands in for it."""
    if rules is None:
        return bench.real(), model
    return bench.scripted(scripted_grader(load_patterns(rules) if rules.is_file() else ())), _name(rules)


def _name(rules: Path) -> str:
    """Other rules are another judge, whose answers are kept apart."""
    text = rules.read_bytes() if rules.is_file() else b""
    return f"scripted:{hashlib.sha256(text).hexdigest()[:16]}"


def rules_of(model: str) -> Path | None:
    """The file behind ``scripted:FILE``; None where the model is a real one. Raises UserError."""
    if not model.startswith("scripted:"):
        return None
    path = Path(model.partition(":")[2])
    if not path.is_file():
        raise UserError(f"{path} is no file; give --model scripted:FILE, or a real model")
    return path
