"""aiohttp, without the root certificates that it loads while it is imported.

They are for a client that nobody here uses (``Forward`` brings its own TLS context), and loading them costs
as much as all the rest of the import. What aiohttp makes of none of them trusts nobody.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _no_root_certificates() -> Iterator[None]:
    names = ("SSL_CERT_FILE", "SSL_CERT_DIR")  # OpenSSL's own way to say where they are
    kept = {name: os.environ[name] for name in names if name in os.environ}
    os.environ.update(dict.fromkeys(names, os.devnull))
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]
        os.environ.update(kept)


with _no_root_certificates():
    import aiohttp
    from aiohttp import web

__all__ = ["aiohttp", "web"]
