"""Classify a decoded response or chunk of a provider, or the result of an agent framework."""

from __future__ import annotations

from gateway.completion.extract import extract_completion
from gateway.completion.model import AgentReply, TurnCompletion
from gateway.completion.readers import faults, places, results
from gateway.completion.readers.access import field, items, present, squash, text, word
from gateway.completion.readers.bodies import gather
from gateway.completion.readers.content import Shown, shown, spoke_before
from gateway.completion.readers.errors import wait_of
from gateway.completion.readers.judge import judge
from gateway.completion.readers.verdict import GOES_ON, Verdict, strongest

__all__ = ["classify_response"]


def classify_response(payload: object, *, provider: str = "") -> TurnCompletion | None:
    """What a response says about how the turn ended; `None` when it says nothing; never raises.

    Args:
        payload: A decoded response or chunk, a mapping or an object of an SDK; the result of a framework.
        provider: Who answered, when the caller knows.
    """
    try:
        return _classify(payload, text(provider))
    except Exception:  # noqa: BLE001  # a value that cannot be read says nothing
        return None


def _classify(payload: object, provider: str) -> TurnCompletion | None:
    if isinstance(payload, TurnCompletion | AgentReply):
        return payload if isinstance(payload, TurnCompletion) else payload.completion
    if payload is None or isinstance(payload, str | bytes | int | float):
        return None
    own = extract_completion(payload) if present(payload, "completion") else None
    if own is not None and own.reason:
        return own
    listed = items(payload)
    if listed:
        return _of_many(listed, provider)
    if results.waits_for_person(payload):
        return TurnCompletion("suspended", site="provider.response", source="metadata", provider=provider)
    inner = results.last_message(payload)
    if inner is not payload:
        return _classify(inner, provider)
    return _of_one(payload, provider)


def _of_many(listed: tuple[object, ...], provider: str) -> TurnCompletion | None:
    """Of messages the last one counts; of chunks the last that says something, a blocking one first."""
    if results.is_message(listed[-1]):
        return _of_one(listed[-1], provider) if results.of_model(listed[-1]) else None
    found = [one for chunk in listed if not items(chunk) and (one := _of_one(chunk, provider))]
    blocking = next((one for one in found if one.truncated), None)
    return blocking or (found[-1] if found else None)


def _of_one(payload: object, provider: str) -> TurnCompletion | None:
    fault = _fault(payload)
    verdicts = [*places.verdicts(payload), *([fault] if fault else [])]
    best = strongest(verdicts)
    if best is not None and best.known and best.reason == "completed":
        best = _unless_empty(payload, best)
    if best is None or best.reason == GOES_ON:
        return None
    from_error = best is fault
    return TurnCompletion(
        best.reason,
        site="provider.error" if from_error else "provider.response",
        source="metadata",
        provider=provider or results.provider(payload),
        token=best.token,
        retry_after=wait_of(payload, {}, gather(payload), reason=best.reason) if from_error else None,
    )


def _fault(payload: object) -> Verdict | None:
    """An error inside an answer that claims to be fine."""
    body = faults.error(payload)
    if body is None:
        return None
    judged = judge(gather(body), None)
    if judged is not None:
        return judged.verdict
    reason = "error" if squash(word(field(payload, "type"))) == "runerror" else "provider_error"
    return Verdict(reason, word(field(body, "code")) or word(field(body, "type")) or None)


def _unless_empty(payload: object, clean: Verdict) -> Verdict:
    said = _shown(payload)
    if said is Shown.CALLS:
        return Verdict(GOES_ON, clean.token)
    return Verdict("empty_response", clean.token) if said is Shown.NOTHING else clean


def _shown(payload: object) -> Shown:
    for holder in results.answers(payload):
        said = shown(holder)
        if said is Shown.NOTHING and spoke_before(payload):
            return Shown.UNSAID
        if said is not Shown.UNSAID:
            return said
    return Shown.UNSAID
