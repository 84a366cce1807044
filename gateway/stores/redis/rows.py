"""Values as the scripts keep them: fields one after another, each as its length, a colon and its bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from gateway.abc.store import (
    Claim,
    DeadLetter,
    Entry,
    Erasure,
    Fact,
    Letter,
    LetterClaim,
    LetterState,
    Line,
    PartRow,
    Turn,
    Waiting,
)

__all__ = [
    "changes_args",
    "claim_of",
    "dead_letter_of",
    "dead_of",
    "encoded",
    "entry_args",
    "fact_args",
    "facts_args",
    "in_steps",
    "letter_args",
    "letter_claim_of",
    "line_args",
    "line_of",
    "many",
    "packed",
    "part_row",
    "turn_args",
    "turn_of",
    "turn_row",
    "unpacked",
    "waiting_of",
]

_STEP = 100  # records or facts that one script erases

Head = tuple[bytes, bytes, int | bytes, bytes, list[bytes]]


def encoded(text: str) -> bytes:
    """A text's bytes; half of a surrogate pair is kept as it is."""
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def packed(*fields: str | float | bytes) -> bytes:
    """Fields as a row."""
    return b"".join(b"%d:%b" % (len(one), one) for one in map(_bytes, fields))


def _bytes(field: str | float | bytes) -> bytes:
    if isinstance(field, bytes):
        return field
    return encoded(field) if isinstance(field, str) else repr(field).encode()


def unpacked(row: bytes) -> list[bytes]:
    """The fields of a row."""
    fields: list[bytes] = []
    at = 0
    while at < len(row):
        colon = row.index(b":", at)
        at = colon + 1 + int(row[at:colon])
        fields.append(row[colon + 1 : at])
    return fields


def many(groups: Iterable[Sequence[bytes]]) -> list[bytes]:
    """How many groups, then their values."""
    args = list(groups)
    return [b"%d" % len(args), *(value for group in args for value in group)]


def entry_args(entry: Entry) -> list[bytes]:
    """Bot, lane, row and keys; a key is unique with its scope."""
    keys = [[packed(entry.scope or entry.bot) + encoded(key)] for key in dict.fromkeys(entry.dedupe)]
    row = packed(entry.bot, entry.lane, float(entry.at), entry.body)
    return [encoded(entry.bot), encoded(entry.lane), row, *many(keys)]


def claim_of(head: Head) -> Claim:
    """A head of the inbox."""
    number, token, attempts, row, _ = head
    bot, lane, at, body = unpacked(row)
    return Claim(int(number), _decoded(bot), _decoded(lane), token.decode(), int(attempts), body, float(at))


def waiting_of(number: bytes, row: bytes) -> Waiting:
    """An entry that waits."""
    _, _, at, body = unpacked(row)
    return Waiting(int(number), body, float(at))


def letter_args(letter: Letter) -> list[bytes]:
    """Id, bot, lane, turn and row."""
    columns = (letter.id, letter.bot, letter.lane, letter.turn)
    row = packed(letter.bot, letter.id, letter.lane, letter.turn, float(letter.at), letter.body)
    return [*map(encoded, columns), row]


def letter_claim_of(head: Head) -> LetterClaim:
    """A head of the outbox with its parts."""
    _, token, attempts, row, parts = head
    return LetterClaim(_letter_of(unpacked(row)), token.decode(), int(attempts), tuple(map(_part_of, parts)))


def dead_of(row: bytes) -> tuple[Letter, LetterState]:
    """A letter that was not delivered."""
    state, *fields = unpacked(row)
    return _letter_of(fields), cast("LetterState", state.decode())


def dead_letter_of(found: Sequence[Any]) -> DeadLetter:
    """A letter that was not delivered, from its row, when it was closed, and its parts."""
    row, closed, parts = found
    letter, state = dead_of(row)
    return DeadLetter(letter, state, float(closed), tuple(map(_part_of, parts)))


def _letter_of(fields: list[bytes]) -> Letter:
    bot, name, lane, turn, at, body = fields
    return Letter(_decoded(name), _decoded(bot), _decoded(lane), _decoded(turn), body, float(at))


def part_row(part: PartRow) -> bytes:
    """A part's row."""
    return packed(part.state, part.body, part.receipt)


def _part_of(row: bytes) -> PartRow:
    state, body, receipt = unpacked(row)
    return PartRow(state.decode(), body, receipt)  # type: ignore[arg-type]  # what was written is read


def changes_args(changes: Sequence[tuple[int, PartRow]]) -> list[bytes]:
    """How many changes; of each, the part's index and row."""
    return many((b"%d" % place, part_row(part)) for place, part in changes)


def turn_row(turn: Turn) -> bytes:
    """A record's row; the columns the scripts select by come first."""
    indexed = (turn.id, turn.ref, turn.bot, turn.lane, turn.state, turn.reason, float(turn.at))
    return packed(*indexed, turn.entry, turn.code, turn.body)


def turn_args(turn: Turn | None) -> list[bytes]:
    """Whether there is a record, and it."""
    return [b"0"] if turn is None else [b"1", turn_row(turn)]


def turn_of(row: bytes) -> Turn:
    """A record."""
    *columns, body = unpacked(row)
    name, ref, bot, lane, state, reason, at, entry, code = map(_decoded, columns)
    return Turn(name, ref, bot, lane, int(entry), state, reason, code, float(at), body)


def line_args(line: Line) -> list[bytes]:
    """Lane and row; the row begins with the turn, by which lines are forgotten."""
    row = packed(line.turn, line.role, line.text, float(line.at), line.speaker, line.data)
    return [encoded(line.lane), row]


def line_of(lane: str, row: bytes) -> Line:
    """A line of history."""
    turn, role, text, at, speaker, data = unpacked(row)
    return Line(
        lane,
        _decoded(turn),
        role.decode(),  # type: ignore[arg-type]  # what was written is read
        _decoded(text),
        float(at),
        _decoded(speaker),
        data,
    )


def fact_args(fact: Fact) -> list[bytes]:
    """Key, whether it is kept, value and seconds."""
    kept, ttl = fact.value is not None, b"" if fact.ttl is None else repr(float(fact.ttl)).encode()
    return [encoded(fact.key), b"1" if kept else b"0", fact.value or b"", ttl]


def facts_args(facts: Sequence[Fact]) -> list[bytes]:
    """How many facts, and they."""
    return many(map(fact_args, facts))


def in_steps(erasure: Erasure) -> Iterator[Erasure]:
    """The same in steps that stop the server for nobody; what is done twice does no harm."""
    yield Erasure(entries=erasure.entries)
    for lane in erasure.lanes:
        yield Erasure(lanes=(lane,))
    for start in range(0, len(erasure.turns), _STEP):
        yield Erasure(turns=erasure.turns[start : start + _STEP])
    for start in range(0, len(erasure.facts), _STEP):
        yield Erasure(facts=erasure.facts[start : start + _STEP])
