"""A gateway whose addresses are taken, and where nobody answers: every connection is refused."""

import socket

from harness.gateway.server import Gateway


class DeafGateway(Gateway):
    """Holds its addresses bound without listening, so that nobody else can take them meanwhile."""

    _held: tuple[socket.socket, ...] = ()

    async def _listen(self) -> None:
        tcp = socket.socket(socket.AF_INET)
        tcp.bind(("127.0.0.1", 0))
        self._held = (tcp,)
        self.url = f"http://127.0.0.1:{tcp.getsockname()[1]}"
        if self.unix_socket is not None:
            unix = socket.socket(socket.AF_UNIX)
            unix.bind(str(self.unix_socket))
            self._held = (tcp, unix)

    async def _stop(self) -> None:
        for held in self._held:
            held.close()
        await super()._stop()
