"""Classify an HTTP error: its status, body and headers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gateway.completion.model import TurnCompletion
from gateway.completion.readers import prose, waits
from gateway.completion.readers.access import squash, text, whole
from gateway.completion.readers.bodies import Facts, decode, gather, merge, scraps
from gateway.completion.readers.judge import Judgement, judge
from gateway.completion.readers.verdict import Verdict

__all__ = ["classify_error", "judge_http", "wait_of"]

_BARE_OVERFLOW = frozenset({"cerebras"})


def classify_error(
    *, status: object = None, body: object = None, headers: object = None, provider: str = ""
) -> TurnCompletion:
    """What a provider's HTTP error means; never raises.

    Args:
        status: The HTTP status.
        body: The body: decoded, text or bytes.
        headers: A mapping or pairs.
        provider: Who answered, when the caller knows.
    """
    try:
        return _classify(status, body, headers, provider)
    except Exception:  # noqa: BLE001  # whatever a hostile value does, an ending comes out
        return TurnCompletion("error", site="provider.error", source="exception")


def _classify(status: object, body: object, headers: object, provider: object) -> TurnCompletion:
    pairs = waits.header_pairs(headers)
    code = whole(status) or _titled(body)
    facts = gather(body, {"x-amzn-errortype": pairs.get("x-amzn-errortype")})
    found = judge_http(facts, code, body, text(provider))
    verdict = found.verdict if found is not None else Verdict("error", str(code) if code else None)
    return TurnCompletion(
        verdict.reason,
        site="provider.error",
        source="exception",
        provider=text(provider),
        token=verdict.token,
        retry_after=wait_of(decode(body), pairs, facts, reason=verdict.reason),
    )


_TITLE = re.compile(r"<title>\s{0,8}(?:[^<|]{1,100}\| )?([45]\d\d)\b", re.IGNORECASE)


def _titled(body: object) -> int | None:
    """The status that the page of a proxy names in its title."""
    found = _TITLE.search(text(body))
    return int(found[1]) if found else None


def judge_http(
    facts: Facts, status: int | None, body: object, provider: str, *, names: Sequence[str] = ()
) -> Judgement | None:
    """`judge`, with what the absence of a body says."""
    # Cerebras refuses an overlong prompt with no body at all.
    if status == 400 and not facts and not body and squash(provider) in _BARE_OVERFLOW:
        return Judgement(Verdict("context_overflow", "400"), certain=False)
    said = tuple(facts.messages)
    wrapped = [scraps(message) for message in said if _PRINTED.match(message)]
    named = [found[1] for message in said if (found := _PRINTED.match(message)) and found[1]]
    return judge(merge([facts, *wrapped]), status, names=(*names, *named))


# A proxy's message may be a class of LiteLLM's with the answer behind it, or that answer printed by Python.
_PRINTED = re.compile(r"litellm\.(\w{3,60}): |\{'(?:error|message|detail)': .*\}\s*$", re.DOTALL)


_LIMITED = frozenset({"rate_limited", "quota_exhausted"})


def wait_of(body: object, headers: dict[str, str], facts: Facts, *, reason: str) -> float | None:
    """How long the provider asks to wait, from the most exact place that says so.

    When its limits reset, which it says with every answer, counts only for an error of limits.
    """
    for found in (waits.asked(headers), waits.in_body(body)):
        if found is not None:
            return found
    said = [*facts.messages, *merge(map(scraps, filter(_PRINTED.match, facts.messages))).messages]
    asked = (waits.in_message(prose.spoken(message)) for message in said)
    told = next((found for found in asked if found is not None), None)
    return waits.resets(headers) if told is None and reason in _LIMITED else told
