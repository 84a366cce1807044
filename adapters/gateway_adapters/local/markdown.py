"""Markdown as HTML that is safe to insert: a closed list of tags, everything else is text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["plain_html", "to_html"]

_LONG = 100_000  # characters; beyond that the text is shown as it is, since parsing would hold up everybody
_TAGS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "em", "strong", "s"}
    | {"table", "thead", "tbody", "tr", "th", "td"}
)
_BLOCKS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "table"})
_LINK = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20\x7f]+", re.IGNORECASE)
_ALIGN = re.compile(r"text-align:(left|right|center)")

_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def to_html(text: str) -> str:
    """The HTML of an agent's Markdown, which may be cut anywhere."""
    if len(text) > _LONG:
        return plain_html(text)
    return _Writer().blocks(_parser.parse(text))


def plain_html(text: str) -> str:
    """The HTML of text that is to be read as it is."""
    return f'<p dir="auto" class="lw-plain">{escape(text)}</p>' if text else ""


class _Writer:
    """Writes tokens; knows whether it is inside a link, where no second one may begin."""

    def __init__(self) -> None:
        self._links: list[str] = []  # what closes each open link
        self._write: dict[str, Callable[[Token], str]] = {
            "inline": lambda token: "".join(map(self._one, token.children or ())),
            "text": lambda token: escape(token.content),
            "softbreak": lambda _: "<br>",
            "hardbreak": lambda _: "<br>",
            "hr": lambda _: "<hr>",
            "code_inline": lambda token: f"<code>{escape(token.content)}</code>",
            "code_block": _code,
            "fence": _code,
            "image": self._image,
            "link_open": self._open_link,
            "link_close": lambda _: self._links.pop() if self._links else "",
        }

    def blocks(self, tokens: Sequence[Token]) -> str:
        return "".join(map(self._one, tokens))

    def _one(self, token: Token) -> str:
        write = self._write.get(token.type)
        if write is not None:
            return write(token)
        if token.tag not in _TAGS:
            return escape(token.content)
        if token.hidden:  # the paragraph of a tight list's item
            return "" if token.nesting > 0 else "\n"
        return f"</{token.tag}>" if token.nesting < 0 else f"<{token.tag}{_attributes(token)}>"

    def _open_link(self, token: Token) -> str:
        href = str(token.attrGet("href") or "")
        opening = _anchor(href)
        if opening:
            self._links.append("</a>")
            return opening
        self._links.append(f" ({escape(href)})" if href else "")
        return ""

    def _image(self, token: Token) -> str:
        source = str(token.attrGet("src") or "")
        label = escape(token.content or source)
        opening = "" if "</a>" in self._links else _anchor(source)
        return f"{opening}{label}</a>" if opening else label


def _anchor(href: str) -> str:
    if not _LINK.fullmatch(href):
        return ""
    return f'<a href="{escape(href)}" target="_blank" rel="noopener noreferrer nofollow">'


def _code(token: Token) -> str:
    return f'<pre dir="ltr" tabindex="0"><code>{escape(token.content)}</code></pre>'


def _attributes(token: Token) -> str:
    written = ' dir="auto"' if token.level == 0 and token.tag in _BLOCKS else ""
    start = token.attrGet("start")
    if token.tag == "ol" and isinstance(start, int):
        written += f' start="{start}"'
    align = _ALIGN.fullmatch(str(token.attrGet("style") or ""))
    return f'{written} align="{align.group(1)}"' if align else written
