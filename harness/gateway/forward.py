"""Passing requests on to the API with the user's credential, and its answers back, as they come."""

import ssl
from collections.abc import Iterator

from multidict import CIMultiDict
from yarl import URL

from harness.gateway.credential import OAUTH_BETA, Credential
from harness.gateway.exchange import Headers, Reply, Request, Responder
from harness.gateway.http import aiohttp
from harness.gateway.lane import Lane

CONNECT_S = 30.0
HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "content-length",
    }
)
NOT_SENT = HOP_BY_HOP | {"host", "x-api-key", "authorization", "cookie", "accept-encoding", "expect"}
NOT_RETURNED = HOP_BY_HOP | {"content-encoding", "set-cookie"}
OWN_HEADERS = ("User-Agent", "Accept", "Content-Type")


class Forward(Responder):
    """Streams through to ``upstream``. One for all lanes: they share its connections.

    The credential goes onto requests in the gateway's own memory only. Errors pass as the API gave them; an
    answer that the API cuts is cut, and a connection that breaks before an answer is broken towards claude
    too, so that its own retries see what they would have seen.
    """

    any_route = True

    def __init__(self, upstream: str, credential: Credential, *, use_proxy: bool = False) -> None:
        self._upstream = upstream.rstrip("/")
        self._credential = credential
        self._use_proxy = use_proxy
        self._tls = ssl.create_default_context()
        self._tls.set_alpn_protocols(("http/1.1",))
        self._lanes = 0
        self._session: aiohttp.ClientSession | None = None

    def opened(self) -> None:
        self._lanes += 1

    async def closed(self) -> None:
        self._lanes -= 1
        if self._lanes == 0 and self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def answer(self, request: Request, reply: Reply, lane: Lane) -> None:
        call = self._connected().request(
            request.method,
            URL(self._upstream + request.path, encoded=True),
            headers=CIMultiDict(_sent(request, self._credential)),
            data=request.body or None,
            allow_redirects=False,
            skip_auto_headers=OWN_HEADERS,
        )
        try:
            response = await call
        except (aiohttp.ClientError, TimeoutError) as error:
            lane.broken = f"{type(error).__name__}: {error}"
            reply.reset()
            return
        async with response:
            await reply.start(response.status, _returned(response))
            await _pass_on(response, reply, lane)

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ssl=self._tls),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=self._use_proxy,
            )
        return self._session


async def _pass_on(response: aiohttp.ClientResponse, reply: Reply, lane: Lane) -> None:
    pieces = response.content.iter_any()
    while True:
        try:
            piece = await anext(pieces, b"")
        except (aiohttp.ClientError, TimeoutError) as error:
            lane.broken = f"{type(error).__name__}: {error}"
            reply.cut()
            return
        if not piece:
            break
        await reply.write(piece)
    await reply.finish()


def _sent(request: Request, credential: Credential) -> Iterator[tuple[str, str]]:
    """The client's headers with its placeholder replaced. The answer is asked for uncompressed: a compressor
    on the way would hold events back."""
    yield "Accept-Encoding", "identity"
    betas = [b.strip() for b in request.headers.get("anthropic-beta", "").split(",") if b.strip()]
    betas = [beta for beta in betas if beta != OAUTH_BETA]
    if credential.kind == "oauth":
        betas.append(OAUTH_BETA)
        yield "Authorization", f"Bearer {credential.value}"
    else:
        yield "x-api-key", credential.value
    if betas:
        yield "anthropic-beta", ",".join(betas)
    for name, value in request.headers.items():
        if name.lower() not in NOT_SENT and name.lower() != "anthropic-beta":
            yield name, value


def _returned(response: aiohttp.ClientResponse) -> Headers:
    return [(name, value) for name, value in response.headers.items() if name.lower() not in NOT_RETURNED]
