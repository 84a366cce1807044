"""Operations on facts and named leases."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.abc.store import Fact
from gateway.stores.sqlite.transactions import Access

__all__ = ["get", "scan", "swap", "write_facts"]

_LAST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def write_facts(access: Access, facts: Sequence[Fact]) -> None:
    """Write facts, or remove those without a value."""
    for fact in facts:
        if fact.value is None:
            access.run("DELETE FROM facts WHERE key = ?", fact.key)
        else:
            until = None if fact.ttl is None else access.now + fact.ttl
            access.run(
                "INSERT OR REPLACE INTO facts (key, value, until) VALUES (?, ?, ?)",
                fact.key,
                fact.value,
                until,
            )


def get(access: Access, key: str) -> bytes | None:
    """A fact that is still kept."""
    row = access.run(
        "SELECT value FROM facts WHERE key = ? AND (until IS NULL OR until > ?)", key, access.now
    ).fetchone()
    return None if row is None else bytes(row[0])


def swap(access: Access, expect: bytes | None, fact: Fact) -> bool:
    """Write a fact only if it is as expected."""
    if get(access, fact.key) != expect:
        return False
    write_facts(access, [fact])
    return True


def scan(access: Access, prefix: str, *, limit: int) -> tuple[tuple[str, bytes], ...]:
    """The last facts whose keys start so, ordered by key."""
    end = _after(prefix)
    upper = "" if end is None else " AND key < ?"
    rows = access.run(
        f"SELECT key, value FROM facts WHERE key >= ?{upper} AND (until IS NULL OR until > ?)"  # noqa: S608  # no value is in it
        " ORDER BY key DESC LIMIT ?",
        prefix,
        *(() if end is None else (end,)),
        access.now,
        max(limit, 0),
    ).fetchall()
    return tuple(reversed(rows))


def _after(prefix: str) -> str | None:
    """The least text after every text that starts so; `None` when there is none.

    SQLite compares UTF-8 bytes, which order texts as their code points do.
    """
    kept = prefix.rstrip(chr(_LAST))
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_SURROGATES.stop if following in _SURROGATES else following)
