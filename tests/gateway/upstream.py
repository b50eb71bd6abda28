"""A second server that speaks the API: slow, cut, failing or well, as its path or prompt asks for."""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EVENTS = [b'event: ping\ndata: {"type":"ping","n":%d}\n\n' % n for n in range(5)]


class Upstream(ThreadingHTTPServer):
    """``mode`` says how it answers; ``seen`` holds the requests that came: path, headers, body."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.mode = "events"
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        upstream = self.server
        assert isinstance(upstream, Upstream)
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        upstream.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        if upstream.mode == "reset":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif upstream.mode == "overloaded":
            self._error()
        else:
            self._events(upstream.mode)

    def _error(self) -> None:
        body = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
        self.send_response(529)
        self.send_header("content-type", "application/json")
        self.send_header("retry-after", "7")
        self.send_header("request-id", "req_1")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _events(self, mode: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(EVENTS):
            if mode == "cut" and number == 3:
                self.close_connection = True
                return
            if mode == "slow":
                time.sleep(0.1)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


@contextlib.contextmanager
def running(tls: ssl.SSLContext | None = None) -> Iterator[Upstream]:
    with Upstream() as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
            server.url = f"https://localhost:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
