"""The table of frameworks and endings, as agents/README.md shows it."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.cells import ENDINGS, FRAMEWORKS, Ending, Framework, Mode
from tests.frameworks.environments import ROOT

__all__ = ["README", "render", "updated"]

README: Path = ROOT / "agents" / "README.md"
_BEGIN = "<!-- frameworks: written by `python -m tests.frameworks` -->"
_END = "<!-- /frameworks -->"


def updated(page: str) -> str:
    """The page with the table as it is now."""
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    assert begin, f"the page has no {_BEGIN}"
    assert end, f"the page has no {_END}"
    return f"{before}{_BEGIN}\n{render()}{_END}{after}"


def render() -> str:
    """The table and its footnotes."""
    notes: list[str] = []
    titles = [framework.title for framework in FRAMEWORKS.values()]
    lines = [_row("the provider ends with", "people are told", *titles), _row(*["---"] * (len(titles) + 2))]
    for name, ending in ENDINGS.items():
        cells = [_cell(framework, name, ending, notes) for framework in FRAMEWORKS.values()]
        lines.append(_row(ending.what, _told(ending), *cells))
    numbered = [f"{number}. {note}" for number, note in enumerate(notes, start=1)]
    return "\n".join([*lines, "", *numbered, ""])


def _told(ending: Ending) -> str:
    if ending.streamed is None or ending.streamed.reason == ending.reason:
        return f"`{ending.reason}`"
    return f"`{ending.reason}`; streamed, `{ending.streamed.reason}`"


def _cell(framework: Framework, name: str, ending: Ending, notes: list[str]) -> str:
    """What comes out, mode by mode where the modes differ."""
    modes: list[Mode] = [mode for mode in framework.modes if mode in ending.modes]
    if not modes:
        return "–"
    said: dict[str, list[str]] = {}
    for mode in modes:
        blind = framework.blindness(name, mode)
        if blind is None:
            said.setdefault("yes", []).append(mode)
            continue
        if blind.why not in notes:
            notes.append(blind.why)
        number = notes.index(blind.why) + 1
        lost = "without its text" if blind.told == ending.right(mode).reason else f"`{blind.told}`"
        said.setdefault(f"{lost} ({number})", []).append(mode)
    if len(said) == 1:
        return next(iter(said))
    return "; ".join(f"{', '.join(where)}: {what}" for what, where in said.items())


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
