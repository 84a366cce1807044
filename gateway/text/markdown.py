"""Reading Markdown, whole or cut anywhere, as text with spans."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gateway.text.blocks import Blocks
from gateway.text.spans import Rich

__all__ = ["parse"]

_LONG = 100_000  # characters; beyond that a text is taken as it is, since parsing would hold up everybody
_DEEP = 20  # levels of lists and quotes, beyond which the parser leaves text out

# What can be Markdown at all: one of its characters, or the beginning of a list or a rule.
_MARKED = re.compile(r"[*_~`\[\]<>&\\|#\t\r\0]|^ *(?:[-+=]|\d{1,9}[.)])", re.MULTILINE)
_NEWLINE = re.compile(r"\r\n?")

# Off are `reference`, which swallows its lines, and `lheading`, for which a rule below a paragraph makes the
# paragraph a heading.
_parser = (
    MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEP, "tasklists": True})
    .enable(["table", "strikethrough"])
    .disable(["reference", "lheading"])
)


def parse(markdown: str) -> Rich:
    """Read Markdown; what is not Markdown, or not finished, stays as text, and no word is left out.

    Raw HTML is text. Lines and blank lines stay apart as they are, several blank lines become one. Only links
    to `http`, `https`, `tg` and `mailto` become links; of others the target is written out. A text that holds
    no Markdown at all is returned as it is.
    """
    if len(markdown) > _LONG or not _MARKED.search(markdown):
        return Rich(markdown)
    source = _NEWLINE.sub("\n", markdown)
    tokens = _parser.parse(source)
    if any(_too_deep(token) for token in tokens):
        return Rich(markdown)
    rich = Blocks(source).write(tokens)
    return rich if rich.text.strip() else Rich(markdown)


def _too_deep(token: Token) -> bool:
    return token.level >= _DEEP - 1 and token.type in {"blockquote_open", "list_item_open"}
