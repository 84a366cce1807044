"""Find where an earlier answer stopped, so that Continue finishes the sentence."""

from __future__ import annotations

from gateway.abc.agent import PastLine
from gateway_agents.scripted.options import Options
from gateway_agents.scripted.plan import Plan, plan_for, words

__all__ = ["rest_of"]


def rest_of(history: tuple[PastLine, ...], options: Options) -> Plan | None:
    """What is left to say of the latest answer that stopped, or `None` when none did.

    The answer may have been cut several times: everything said since the message that asked for it is
    compared, word by word, with what the script says to that message.
    """
    told: list[str] = []
    for line in reversed(history):
        if line.role == "assistant":
            told = line.text.split() + told
            continue
        plan = plan_for(line.text, options)
        whole = words(plan.say)
        if [word.strip() for word in whole[: len(told)]] == told and (len(told) < len(whole) or plan.resume):
            rest = plan.resume or "".join(whole[len(told) :]).lstrip()
            return Plan(say=rest, pace=plan.pace)
    return None
