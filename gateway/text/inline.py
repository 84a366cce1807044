"""The inside of a Markdown paragraph: emphasis, code, links and images."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.common.normalize_url import normalizeLinkText
from markdown_it.token import Token

from gateway.text.pen import Pen
from gateway.text.spans import Kind, Rich

__all__ = ["inline", "write_inline"]

_EMPHASIS: dict[str, Kind] = {"strong": "bold", "em": "italic", "s": "strike"}
_TARGET = re.compile(r"(?:https?://|tg://|mailto:)\S+", re.IGNORECASE)


def inline(tokens: Sequence[Token]) -> Rich:
    """What the tokens of one paragraph or cell say."""
    pen = Pen()
    write_inline(pen, tokens)
    return pen.rich()


def write_inline(pen: Pen, tokens: Sequence[Token], *, margin: str = "") -> None:
    """Write the tokens of one paragraph, each line after the first behind a margin."""
    links: list[tuple[Token, int]] = []
    for token in tokens:
        match token.type:
            case "softbreak" | "hardbreak":
                pen.write(f"\n{margin}")
            case "code_inline":
                pen.open("code")
                pen.write(token.content)
                pen.close()
            case "image":
                _image(pen, token, linked=bool(links))
            case "link_open":
                links.append((token, pen.length))
                pen.open("link", str(token.attrGet("href") or ""))
            case "link_close":
                _close_link(pen, *links.pop())
            case "text":
                pen.write(token.content)
            case _:
                _emphasis(pen, token)


def _emphasis(pen: Pen, token: Token) -> None:
    if token.nesting > 0:
        pen.open(_EMPHASIS[token.tag])
    else:
        pen.close()


def _close_link(pen: Pen, opening: Token, begun: int) -> None:
    target = str(opening.attrGet("href") or "")
    if pen.length == begun:
        pen.write(_shown(target))
        begun = -1
    linked = _TARGET.fullmatch(target) is not None
    pen.close(keep=linked)
    if not linked and target and begun >= 0 and opening.markup != "autolink":
        pen.write(f" ({_shown(target)})")
    _title(pen, opening)


def _image(pen: Pen, token: Token, *, linked: bool) -> None:
    """An image is its description, linked to where it is; inside a link the place follows in words."""
    source = str(token.attrGet("src") or "")
    place = _shown(source)
    described = inline(token.children or ()).text
    keep = not linked and _TARGET.fullmatch(source) is not None
    pen.open("link", source)
    pen.write(described or place)
    pen.close(keep=keep)
    if described and place and not keep:
        pen.write(f" ({place})")
    _title(pen, token)


def _title(pen: Pen, token: Token) -> None:
    title = token.attrGet("title")
    if title:
        pen.write(f" ({title})")


def _shown(target: str) -> str:
    """A target as a person reads it; of data inside the address only what kind it is."""
    if target.startswith("data:"):
        return target.partition(";")[0]
    return normalizeLinkText(target)
