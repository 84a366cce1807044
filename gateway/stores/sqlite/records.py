"""Operations on turn records and history, and on what has grown old."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.abc.store import Line, Turn
from gateway.stores.sqlite.lanes import INBOX
from gateway.stores.sqlite.transactions import Access

__all__ = [
    "COLUMNS",
    "amend_turn",
    "append",
    "counts",
    "forget",
    "history",
    "trim",
    "turn",
    "turns",
    "write_turn",
]

COLUMNS = "id, ref, bot, lane, entry, state, reason, code, at, body"
_KEY_AGE = 24 * 3600.0  # seconds; platforms redeliver within a day, whatever the retention of content is

_OLD_ENTRIES = "DELETE FROM inbox WHERE number IN (SELECT number FROM inbox WHERE closed < ? LIMIT ?)"
_OLD_LETTERS = "SELECT number FROM letters WHERE closed < ? LIMIT ?"
_OLD_TURNS = (
    "DELETE FROM turns WHERE number IN (SELECT number FROM turns AS old WHERE at < ?"
    " AND NOT EXISTS (SELECT 1 FROM inbox WHERE number = old.entry AND closed IS NULL)"
    " AND NOT EXISTS (SELECT 1 FROM letters WHERE turn = old.id AND closed IS NULL) LIMIT ?)"
)
_OLD_KEYS = "DELETE FROM known WHERE (bot, key) IN (SELECT bot, key FROM known WHERE at < ? LIMIT ?)"
_LAPSED_FACTS = "DELETE FROM facts WHERE key IN (SELECT key FROM facts WHERE until <= ? LIMIT ?)"


def write_turn(access: Access, turn: Turn) -> None:
    """Write a turn's record over what is known of it."""
    access.run(
        f"INSERT INTO turns ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608  # no value is in it
        " ON CONFLICT (id) DO UPDATE SET ref = excluded.ref, bot = excluded.bot, lane = excluded.lane,"
        " entry = excluded.entry, state = excluded.state, reason = excluded.reason, code = excluded.code,"
        " at = excluded.at, body = excluded.body",
        turn.id,
        turn.ref,
        turn.bot,
        turn.lane,
        turn.entry,
        turn.state,
        turn.reason,
        turn.code,
        turn.at,
        turn.body,
    )


def amend_turn(access: Access, turn: Turn) -> None:
    """Write a record whose ending is known already: of its many indices one changes."""
    amended = access.run(
        "UPDATE turns SET state = ?, body = ? WHERE id = ? AND reason = ? AND code = ? AND at = ?",
        turn.state,
        turn.body,
        turn.id,
        turn.reason,
        turn.code,
        turn.at,
    )
    if not amended.rowcount:
        write_turn(access, turn)


def turn(access: Access, key: str) -> Turn | None:
    """A turn by id, or the newest with this reference."""
    by_id = access.run(f"SELECT {COLUMNS} FROM turns WHERE id = ?", key).fetchone()  # noqa: S608  # no value is in it
    row = (
        by_id
        or access.run(
            f"SELECT {COLUMNS} FROM turns WHERE ref = ? ORDER BY at DESC, number DESC LIMIT 1",  # noqa: S608  # no value is in it
            key,
        ).fetchone()
    )
    return None if row is None else Turn(*row)


def turns(access: Access, *, bot: str, lane: str, reason: str, state: str, limit: int) -> tuple[Turn, ...]:
    """Turns that match, newest first."""
    words = {"lane": lane, "state": state, "reason": reason, "bot": bot}
    wanted = {column: word for column, word in words.items() if word}
    where = " AND ".join(f"{column} = ?" for column in wanted) or "TRUE"
    rows = access.run(
        f"SELECT {COLUMNS} FROM turns WHERE {where} ORDER BY at DESC, number DESC LIMIT ?",  # noqa: S608  # no value is in it
        *wanted.values(),
        max(limit, 0),
    )
    return tuple(Turn(*row) for row in rows)


def append(access: Access, lines: Sequence[Line]) -> None:
    """Add lines to history.

    A text may hold half of a surrogate pair, which only bytes can keep as it is.
    """
    access.many(
        "INSERT INTO lines (lane, turn, role, text, at, speaker, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (one.lane, one.turn, one.role, _packed(one.text), one.at, _packed(one.speaker), one.data)
            for one in lines
        ],
    )


def forget(access: Access, lane: str, turns: Sequence[str], *, everything: bool) -> None:
    """Remove a lane's lines of some turns, or all of them."""
    if everything:
        access.run("DELETE FROM lines WHERE lane = ?", lane)
        return
    for gone in turns:
        access.run("DELETE FROM lines WHERE turn = ? AND lane = ?", gone, lane)


def history(access: Access, lane: str, *, limit: int) -> tuple[Line, ...]:
    """The last lines of a lane, oldest first."""
    rows = access.run(
        "SELECT lane, turn, role, text, at, speaker, data FROM lines WHERE lane = ?"
        " ORDER BY number DESC LIMIT ?",
        lane,
        max(limit, 0),
    ).fetchall()
    return tuple(
        Line(lane, turn, role, _unpacked(text), at, _unpacked(speaker), data)
        for lane, turn, role, text, at, speaker, data in reversed(rows)
    )


def counts(access: Access) -> dict[str, int]:
    """How many rows wait where."""
    return {
        "inbox": _count(access, "inbox WHERE closed IS NULL"),
        "claimed": INBOX.count_leased(access),
        "outbox": _count(access, "letters WHERE closed IS NULL"),
        "dead": _count(access, "letters WHERE state NOT IN ('waiting', 'delivered')"),
        "turns": _count(access, "turns"),
        "facts": _count(access, "facts WHERE until IS NULL")
        + _count(access, "facts WHERE until > ?", access.now),
    }


def trim(access: Access, before: float, *, limit: int) -> int:
    """Remove what was closed before a time, and facts and keys that have served; `limit` rows at most."""
    limit = max(limit, 0)
    left = limit - access.run(_OLD_ENTRIES, before, limit).rowcount
    left -= _trim_letters(access, before, left)
    for statement, bound in (
        (_OLD_TURNS, before),
        (_OLD_KEYS, min(before, access.now - _KEY_AGE)),
        (_LAPSED_FACTS, access.now),
    ):
        left -= access.run(statement, bound, left).rowcount
    return limit - left


def _trim_letters(access: Access, before: float, limit: int) -> int:
    """Remove closed letters with what is left of their parts."""
    numbers = access.run(_OLD_LETTERS, before, limit).fetchall()
    access.many("DELETE FROM parts WHERE letter = ?", numbers)
    access.many("DELETE FROM letters WHERE number = ?", numbers)
    return len(numbers)


def _count(access: Access, what: str, *values: object) -> int:
    return int(access.run(f"SELECT count(*) FROM {what}", *values).fetchone()[0])  # noqa: S608  # no value is in it


def _packed(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _unpacked(text: bytes) -> str:
    return text.decode("utf-8", "surrogatepass")
