"""What a first configuration says, with comments for who reads it next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["SCHEMA", "Brain", "Draft", "reference"]

SCHEMA = "bots.schema.json"
_COLUMN = 40  # where comments begin
_PLAIN = re.compile(r"(?!(true|false|null|yes|no|on|off)$)[A-Za-z_/][\w./:+-]*[\w/]", re.IGNORECASE)

_DEMO = """\
    kind: scripted
    directives: true                    # !max_steps or !rate_limited 30 as a message chooses an ending
    script:                             # the first line that fits a message is followed
      - {when: hello, say: "Hello! Ask me for a story, or send !stream_cut."}
      - {when: story, say: "The keeper climbed the stairs as the storm came in over the bay.", end: max_steps}
    # A model in its place:    model: openai-chat:gpt-5-mini
    #                          api_key: ${OPENAI_API_KEY}
    # or code of your own:     target: my_bot:agent
"""


@dataclass(frozen=True, slots=True)
class Brain:
    """What answers.

    Attributes:
        name: `provider:model`, or `module:name`.
        key: How its key is written, a reference; empty where it needs none.
        lacks: The variable that its key is looked for in, where nobody gave one.
    """

    kind: Literal["model", "python", "demo"]
    name: str = ""
    key: str = ""
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A configuration of one bot.

    Attributes:
        options: What the platform is told, as it stands in the file.
        dm: Who may talk to it in private; empty for a platform's own way.
    """

    platform: str
    bot: str
    brain: Brain
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    dm: str = ""

    def text(self) -> str:
        """The file."""
        return "".join((*self._top(), *self._agent(), *self._bot()))

    def _top(self) -> Iterator[str]:
        yield f"# yaml-language-server: $schema={SCHEMA}\n"
        yield "# `lastword check` says what this comes to; `lastword run` runs it.\n"
        yield "version: 1\n"
        yield _line(
            "store: sqlite:lastword.db", "what was accepted, and how it ended: one file beside this one"
        )
        yield "server:\n"
        yield "  host: 127.0.0.1\n"
        yield _line("  port: ${PORT:-8080}", "health checks, metrics, web chats")

    def _agent(self) -> Iterator[str]:
        yield "\nagents:\n  helper:\n"
        match self.brain.kind:
            case "demo":
                yield _DEMO
            case "python":
                yield _line(
                    f"    target: {_scalar(self.brain.name)}", "module:name, looked for beside this file"
                )
                yield _line("    timeout: 5m", "the whole turn; the person is told when it is over")
            case "model":
                yield f"    model: {_scalar(self.brain.name)}\n"
                if self.brain.key:
                    yield f"    api_key: {self.brain.key}\n"
                yield _line(
                    "    # base_url: http://127.0.0.1/v1",
                    "a server of your own that speaks the same protocol",
                )
                yield "    instructions: You help the people who write to you. Answer briefly.\n"
                yield _line("    max_steps: 25", "model requests one turn may use")
                yield _line("    timeout: 5m", "the whole turn; the person is told when it is over")

    def _bot(self) -> Iterator[str]:
        yield f"\nbots:\n  {self.bot}:\n    platform: {self.platform}\n"
        for name, value in self.options.items():
            yield f"    {name}: {value}\n"
        yield "    agent: helper\n"
        yield _line(
            "    surface_completion_reason: true", "tell people how an answer ended, when it did not end well"
        )
        yield _line("    language: auto", "that of the person; or a tag such as de")
        if self.dm:
            yield "    access:\n"
            yield _line(f"      dm: {self.dm}", "pairing | allowlist | open | off")
            yield _line("      groups: mention", "mention | reply | all | off")
        yield "    # notes: {contact: you@example.org}   # whom people are told to ask when it is our fault\n"


def reference(variable: str, *, needed: bool = True) -> str:
    """How a variable is written in a configuration; one that is not needed may be empty."""
    return f"${{{variable}}}" if needed else f"${{{variable}:-}}"


def _scalar(text: str) -> str:
    """A text as YAML that says nothing else."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text.replace("$", "$$"), ensure_ascii=False)


def _line(said: str, comment: str) -> str:
    return f"{said.ljust(_COLUMN - 1)} # {comment}\n"
