"""Classify anything raised: by its own word, its class, what it carries, and last its message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gateway.completion.model import TurnCompletion
from gateway.completion.readers import classes, prose, waits
from gateway.completion.readers.access import field, items, mapping, text, whole, word
from gateway.completion.readers.bodies import Facts, decode, gather, merge, scraps
from gateway.completion.readers.errors import judge_http, wait_of
from gateway.completion.readers.judge import Judgement
from gateway.completion.readers.verdict import Verdict

__all__ = ["Raised", "classify_exception", "classify_raised"]

_MOST_NODES = 32


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception as facts.

    Attributes:
        names: The telling names of its class and bases.
        builtin: What it says as a built-in exception.
        local: Whether its message speaks of the code that raised it.
        status: The HTTP status it carries.
        body: The body of the answer it carries.
    """

    names: tuple[str, ...]
    message: str
    builtin: str | None = None
    local: bool = False
    status: int | None = None
    body: object = None
    carried: Facts | None = None
    headers: dict[str, str] | None = None
    wait: float | None = None
    cut: bool = False
    provider: str = ""


def classify_exception(exc: BaseException, *, provider: str = "") -> TurnCompletion:
    """What an exception means for the turn, its causes and the members of a group considered; never raises.

    Args:
        exc: What was raised.
        provider: Who was asked, when the caller knows.
    """
    try:
        return _classify(exc, text(provider))
    except Exception:  # noqa: BLE001  # whatever a hostile exception does, an ending comes out
        return TurnCompletion("error", site="agent.exception", source="exception")


def _classify(exc: object, provider: str) -> TurnCompletion:
    best: TurnCompletion | None = None
    certain = False
    for depth, node in enumerate(_nodes(exc)):
        own = _committed(node)
        if own is not None:
            return own
        raised = _facts(node)
        judged = _judge(raised, provider)
        if judged is None or (depth and judged.verdict.reason in _NOT_AS_CAUSE):
            continue
        if best is None or (judged.certain and not certain):
            best, certain = _completion(raised, judged, provider), judged.certain
        if certain:
            break
    return best or TurnCompletion("error", site="agent.exception", source="exception", provider=provider)


_NOT_AS_CAUSE = frozenset({"cancelled", "aborted"})  # how a deadline stops what it watches


def classify_raised(raised: Raised, *, provider: str = "") -> TurnCompletion:
    """What an exception means of which only the facts are known."""
    judged = _judge(raised, provider) or Judgement(Verdict("error"), certain=False)
    return _completion(raised, judged, provider)


def _committed(node: object) -> TurnCompletion | None:
    own = field(node, "completion")
    return own if isinstance(own, TurnCompletion) and own.truncated else None


def _nodes(exc: object) -> Iterator[BaseException]:
    """The exception, its members and its causes, nearest first, each once."""
    queue, seen = [exc], set[int]()
    while queue and len(seen) < _MOST_NODES:
        node = queue.pop(0)
        if not isinstance(node, BaseException) or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        context = None if node.__suppress_context__ else node.__context__
        queue += [
            *items(field(node, "exceptions")),
            node.__cause__,
            field(node, "original_exception"),
            context,
        ]


def _facts(exc: BaseException) -> Raised:
    kind = type(exc)
    response = field(exc, "response")
    bodies = [field(exc, name) for name in ("body", "json_body", "error", "data")]
    details = field(exc, "details")
    bodies.append(details if not callable(details) else None)
    bodies.append(mapping(response) or field(response, "_content"))
    headers = waits.header_pairs(field(exc, "headers"))
    body = next((one for one in bodies if one is not None), None)
    return Raised(
        names=classes.family(kind),
        message=_message(exc),
        builtin=classes.builtin(kind),
        local=classes.is_local((kind.__name__,), kind.__module__),
        status=_status(exc, response),
        body=body,
        carried=merge([_own_codes(exc), *(gather(one) for one in bodies if one is not None)]),
        headers=headers or waits.header_pairs(_headers(response)),
        wait=waits.sane(field(exc, "retry_after")),
        cut=field(exc, "in_stream") is True and word(field(exc, "phase")) == "read",
        provider=word(field(exc, "llm_provider")),
    )


def _message(exc: BaseException) -> str:
    try:
        return str(exc)[:20_000]
    except Exception:  # noqa: BLE001  # a foreign exception may fail to print
        return ""


def _headers(response: object) -> object:
    return field(field(response, "ResponseMetadata"), "HTTPHeaders") or field(response, "headers")


def _status(exc: BaseException, response: object) -> int | None:
    """The status, under any name that SDKs give it."""
    for holder, name in (
        (exc, "status_code"),
        (exc, "http_status"),
        (exc, "status"),
        (exc, "code"),
        (response, "status_code"),
        (response, "status"),
        (field(response, "ResponseMetadata"), "HTTPStatusCode"),
    ):
        found = whole(field(holder, name))
        if found is not None and 400 <= found <= 599:  # the errors of HTTP
            return found
    return None


_CODE_NAMES = (
    "provider_error_code",
    "provider_error_type",
    "code",
    "type",
    "status",
    "reason",
    "error_code",
    "error_type",
)


def _own_codes(exc: BaseException) -> Facts:
    """Codes that the exception itself carries; gRPC's are behind methods."""
    found: dict[str, object] = {}
    for name in _CODE_NAMES:
        value = field(exc, name)
        if value is not None:
            found.setdefault(name.removeprefix("provider_"), value)
    code = found.get("code")
    if callable(code):
        rpc = any(name.endswith("RpcError") for name in classes.family(type(exc)))
        found["code"] = code() if rpc else None
    return gather({name: word(value) or whole(value) for name, value in found.items()})


_PRINTED_STATUS = re.compile(
    r"^(?:.{0,60}?(?:error code|client error|server error|http(?: status)?(?: code)?|status(?: code)?|"
    r"responded with|http error|api error)[\s:='\"(]{1,4}|\W{0,3})"
    r"([45]\d\d)\b(?!\.\d)(?=\W{0,3}[a-z{]|\W{0,3}$)",
    re.IGNORECASE | re.DOTALL,
)


def _judge(raised: Raised, provider: str) -> Judgement | None:
    if raised.cut:
        return Judgement(Verdict("stream_cut"), certain=True)
    fixed = classes.special(raised.names, raised.message)
    if fixed:
        return Judgement(Verdict(fixed), certain=True)
    facts = merge([raised.carried or Facts(), scraps(raised.message) if not raised.carried else Facts()])
    status = raised.status
    if status is None and not raised.local:
        printed = _PRINTED_STATUS.match(raised.message)
        status = int(printed[1]) if printed else None
    if not raised.local and not facts.messages and raised.message:
        facts.messages.append(raised.message)
    return _weigh(raised, facts, status, provider)


def _weigh(raised: Raised, facts: Facts, status: int | None, provider: str) -> Judgement | None:
    judged = judge_http(facts, status, raised.body, provider, names=raised.names)
    if status is None and not raised.local and (judged is None or judged.verdict.reason in _LINE):
        told = prose.transport(raised.message)
        if told is not None and (judged is None or not judged.certain):
            return Judgement(Verdict(told), certain=True)
    if judged is None and raised.builtin:
        return Judgement(Verdict(raised.builtin), certain=raised.builtin != "network_error")
    return judged


_LINE = frozenset({"network_error", "provider_error"})
_SITES = {
    "max_steps": "agent.step_budget",
    "tool_loop_guard": "agent.tool",
    "tool_error_budget": "agent.tool",
    "budget_exhausted": "agent.budget",
    "tool_error": "agent.tool",
    "stream_cut": "agent.stream",
}


def _completion(raised: Raised, judged: Judgement, provider: str) -> TurnCompletion:
    answered = raised.status is not None or bool(raised.carried)
    reason = judged.verdict.reason
    return TurnCompletion(
        reason,
        site=_SITES.get(reason) or ("provider.error" if answered else "agent.exception"),
        source="exception",
        provider=provider or raised.provider,
        token=judged.verdict.token,
        retry_after=_wait(raised, reason),
    )


def _wait(raised: Raised, reason: str) -> float | None:
    if raised.wait is not None:
        return raised.wait
    told = merge([raised.carried or Facts(), scraps(raised.message), Facts(messages=[raised.message])])
    return wait_of(decode(raised.body), raised.headers or {}, told, reason=reason)
