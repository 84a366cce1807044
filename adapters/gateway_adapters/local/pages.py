"""The page and its files, read once and served from memory."""

from __future__ import annotations

import hashlib
from html import escape
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import Response

__all__ = ["Pages"]

_FOLDER = Path(__file__).parent / "static"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".html": "text/html"}


class Pages:
    """One web chat's page and files.

    Args:
        base: The path it lives under, without a trailing slash.
        title: The name people read.
    """

    def __init__(self, base: str, title: str) -> None:
        files = {path.name: path.read_bytes() for path in _FOLDER.iterdir() if path.suffix in _TYPES}
        page = Template(files.pop("page.html").decode())
        self._page = page.substitute(base=escape(base), title=escape(title)).encode()
        self._files = files

    @property
    def names(self) -> list[str]:
        """The files beside the page."""
        return sorted(self._files)

    async def page(self, request: Request) -> Response:
        """The chat's page."""
        return _served(request, self._page, ".html")

    async def asset(self, request: Request) -> Response:
        """A file the page needs."""
        name = request.url.path.rpartition("/")[2]
        return _served(request, self._files[name], Path(name).suffix)


def _served(request: Request, content: bytes, suffix: str) -> Response:
    """A file, or the word that the browser's copy is still the same."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=f"{_TYPES[suffix]}; charset=utf-8", headers=headers)
