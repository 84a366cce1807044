"""Who may take a partition that is free, and who should give one away; pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gateway.ownership.queues import bot_of
from gateway.ownership.replicas import Replica, Stake

__all__ = ["fair_share", "obstacle", "spare"]


def obstacle(bot: str, mine: Stake, *, alive: Sequence[Replica], known: Sequence[Replica]) -> str:
    """What keeps this process from taking a free partition of a bot; empty for nothing.

    Args:
        bot: Its name.
        mine: As it is configured here.
        alive: The other processes that live.
        known: Those, and the ones that died holding something and were not replaced yet.
    """
    layouts = {one.stakes[bot].partitions for one in alive if bot in one.stakes and _holds(one, bot)}
    if layouts - {mine.partitions}:
        return f"it is divided into {max(layouts)} partitions elsewhere, and into {mine.partitions} here"
    for one in known:
        theirs = one.stakes.get(bot)
        if theirs is None or one.leaving or theirs.digest == mine.digest or not theirs.is_newer(mine):
            continue
        if layouts and theirs.partitions not in layouts:
            continue  # it must wait until the bot is held nowhere
        if one in alive or _holds(one, bot):
            return f"replica {one.name} has a newer configuration of it"
    return ""


def _holds(one: Replica, bot: str) -> bool:
    return any(bot_of(queue) == bot for queue in one.held)


def fair_share(total: int, replicas: int) -> int:
    """How many partitions one process should hold at most."""
    return -(-total // max(replicas, 1))


def spare(idle: Collection[str], held: int, stakes: dict[str, Stake], *, alive: Sequence[Replica]) -> str:
    """An idle partition to give away, so that another process holds it; empty to keep all.

    Two processes differ by one at most in the end, so nothing goes back and forth.
    """
    for one in sorted(alive, key=lambda peer: (len(peer.held), peer.token)):
        if held - len(one.held) < 2:
            return ""
        for queue in sorted(idle):
            bot = bot_of(queue)
            if bot in stakes and bot in one.stakes and one.stakes[bot].digest == stakes[bot].digest:
                return queue
    return ""
