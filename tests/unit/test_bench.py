"""The bench itself works: every measurement, as small as it goes."""

from __future__ import annotations

from tests.bench import telegram_echo
from tests.bench.__main__ import Size, table
from tests.bench.botapi import Platform
from tests.bench.commits import commits

_SMALL = Size(
    rounds=1,
    messages=32,
    lone=3,
    counted=3,
    turns=20,
    starts=1,
    people=10,
    known=1_001,
    talked=20,
    bots=2,
    idle=0.1,
    install=False,
)


async def test_bench_fills_every_row_of_its_table() -> None:
    rows = await table(_SMALL)

    assert len({row.what for row in rows}) == len(rows) == 46
    assert all(str(row).count("|") == 5 for row in rows)
    assert all(row.ratio is None or row.ratio >= 0 for row in rows)


async def test_bench_counts_what_a_message_makes_durable() -> None:
    lone, many = await commits(3, Platform, telegram_echo.config)

    assert 3 <= lone.durable <= 4.5 < lone.transactions  # a claim waits for no disk
    assert 0 < many.durable <= lone.durable
