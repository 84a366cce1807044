"""The public contract of `BotSessionManager`, to the byte."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections import defaultdict

import pytest

from gateway import BotSessionManager
from gateway.abc.agent import TurnRequest
from gateway.completion.model import AgentReply, TurnCompletion

MAX_STEPS = '⏳ I stopped after reaching the step limit — reply "continue" to carry on.'
GENERIC = "⏳ This turn ended early — please try again."
ERROR = "⚠️ This turn ended early due to an error — please try again."
CANCELLED = "🛑 This turn was interrupted before it finished — send it again to retry."


_WORDS = ("completed", "max_steps", "refused", "length_truncated")


class _Says:
    """Gives back what it was made with."""

    def __init__(self, result: object) -> None:
        self._result = result

    async def chat(self, text: str) -> object:
        del text
        if isinstance(self._result, BaseException):
            raise self._result
        return self._result


class _Recalls(_Says):
    """Keeps how its latest turn ended on itself, as older agents do."""

    def __init__(self, result: object, word: str) -> None:
        super().__init__(result)
        self.last_stop_reason = word


async def _chat(agent: object, *, surface: bool = True) -> str:
    return await BotSessionManager(platform="x", surface_completion_reason=surface).chat(agent, "u", "hi")


@pytest.mark.parametrize(
    ("reason", "note"),
    [
        ("max_steps", MAX_STEPS),
        ("recursion_limit", MAX_STEPS),
        ("cancelled", CANCELLED),
        ("error", ERROR),
        ("refused", GENERIC),
        ("Moon-Phase", GENERIC),
    ],
)
async def test_chat_appends_the_note_after_a_blank_line(reason: str, note: str) -> None:
    agent = _Says(AgentReply("half", TurnCompletion(reason)))

    assert await _chat(agent) == f"half\n\n{note}"


@pytest.mark.parametrize("reason", ["completed", "", "end_turn", "stop"])
async def test_chat_appends_nothing_to_a_clean_end(reason: str) -> None:
    assert await _chat(_Says(AgentReply("all", TurnCompletion(reason)))) == "all"


async def test_chat_is_the_note_alone_where_there_is_no_text() -> None:
    assert await _chat(_Says(AgentReply("", TurnCompletion("max_steps")))) == MAX_STEPS


async def test_detail_is_the_note_verbatim() -> None:
    detail = "  see https://x.test/<b> api_key=sk-abcdefghijklmnopqrstu  "

    assert await _chat(_Says(AgentReply("half", TurnCompletion("odd", detail)))) == f"half\n\n{detail}"


@pytest.mark.parametrize(
    "text", ["plain", "  spaces \t\n", "\n", " ", "```\nopen", "\u200b", "a\r\nb", "<b>&amp;</b>", "", "٣"]
)
async def test_chat_with_the_note_off_is_the_agents_text_byte_for_byte(text: str) -> None:
    ended = AgentReply(text, TurnCompletion("max_steps", "a detail"))

    assert await _chat(_Says(ended), surface=False) == text
    assert await _chat(_Says(text), surface=False) == text


async def test_note_is_off_unless_it_is_asked_for() -> None:
    agent = _Says(AgentReply("half", TurnCompletion("max_steps")))

    assert await BotSessionManager(platform="x").chat(agent, "u", "hi") == "half"


async def test_last_stop_reason_counts_where_the_reply_says_nothing() -> None:
    assert await _chat(_Recalls("half", "max_steps")) == f"half\n\n{MAX_STEPS}"


async def test_clean_completion_of_the_reply_suppresses_last_stop_reason() -> None:
    agent = _Recalls(AgentReply("all", TurnCompletion()), "max_steps")

    reply = await BotSessionManager().chat_reply(agent, "u", "hi")

    assert reply.completion is not None
    assert reply.completion.reason == "completed"
    assert await _chat(agent) == "all"


async def test_completion_of_the_reply_beats_last_stop_reason() -> None:
    agent = _Recalls(AgentReply("half", TurnCompletion("refused")), "max_steps")

    assert await _chat(agent) == f"half\n\n{GENERIC}"


async def test_chat_reply_normalises_the_word_and_keeps_the_raw_one() -> None:
    agent = _Says(AgentReply("half", TurnCompletion("Recursion Limit", steps=7)))

    reply = await BotSessionManager().chat_reply(agent, "u", "hi")

    assert reply.text == "half"
    assert reply.completion is not None
    assert (reply.completion.reason, reply.completion.token) == ("max_steps", "Recursion Limit")
    assert reply.completion.steps == 7


async def test_agent_that_raises_is_an_ending_and_shows_nothing_internal() -> None:
    manager = BotSessionManager(surface_completion_reason=True)
    agent = _Says(RuntimeError("host=db.internal password=hunter2"))

    reply = await manager.chat_reply(agent, "u", "hi")

    assert reply.completion is not None
    assert reply.completion.reason == "error"
    assert await manager.chat(agent, "u", "hi") == ERROR


async def test_agent_that_says_nothing_is_an_empty_response() -> None:
    reply = await BotSessionManager().chat_reply(_Says(None), "u", "hi")

    assert reply.text == ""
    assert reply.completion is not None
    assert reply.completion.reason == "empty_response"


async def test_agent_that_hangs_is_ended_by_its_time_out() -> None:
    async def hang(text: str) -> str:
        del text
        await asyncio.Event().wait()
        raise AssertionError

    reply = await BotSessionManager(timeout=0.03).chat_reply(hang, "u", "hi")

    assert reply.completion is not None
    assert reply.completion.code == "timeout@session.deadline"


async def test_caller_who_gives_up_leaves_the_person_able_to_go_on() -> None:
    async def slow(text: str) -> str:
        if text == "slow":
            await asyncio.Event().wait()
        return f"re: {text}"

    manager = BotSessionManager()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await manager.chat(slow, "u", "slow")

    assert await manager.chat(slow, "u", "next") == "re: next"


@pytest.mark.parametrize("text", ["continue", "/new", "retry", "", "\ud83d", "x" * 100_000])
async def test_any_text_reaches_the_agent(text: str) -> None:
    heard: list[str] = []

    async def listen(said: str) -> str:
        heard.append(said)
        return "ok"

    assert await BotSessionManager().chat(listen, "u", text) == "ok"
    assert heard == [text.replace("\ud83d", "\ufffd")]


async def test_messages_of_one_person_are_answered_in_order() -> None:
    seen: defaultdict[str, list[str]] = defaultdict(list)
    under_way: defaultdict[str, int] = defaultdict(int)

    async def answer(text: str) -> str:
        person, number = text.split()
        under_way[person] += 1
        assert under_way[person] == 1
        await asyncio.sleep(0.001 * (int(number) % 3))
        seen[person].append(number)
        under_way[person] -= 1
        return text

    manager = BotSessionManager()
    await asyncio.gather(*(manager.chat(answer, f"u{p}", f"u{p} {n}") for n in range(8) for p in range(10)))

    assert all(numbers == [str(n) for n in range(8)] for numbers in seen.values())
    assert len(seen) == 10


async def test_people_do_not_wait_for_each_other() -> None:
    both = asyncio.Barrier(2)

    async def meet(text: str) -> str:
        async with asyncio.timeout(2):
            await both.wait()
        return text

    manager = BotSessionManager()

    first, second = await asyncio.gather(manager.chat(meet, "a", "1"), manager.chat(meet, "b", "2"))

    assert (first, second) == ("1", "2")


async def test_endings_of_200_people_on_one_shared_agent_never_mix() -> None:
    """The agent keeps how its latest turn ended on itself, where the next person's turn overwrites it."""

    class Shared:
        last_stop_reason = "completed"

        async def chat(self, text: str) -> str:
            self.last_stop_reason = _WORDS[int(text) % len(_WORDS)]
            await asyncio.sleep(0)
            return f"re: {text}"

    manager, agent = BotSessionManager(), Shared()

    replies = await asyncio.gather(*(manager.chat_reply(agent, f"u{n}", str(n)) for n in range(200)))

    wrong = [
        n
        for n, reply in enumerate(replies)
        if reply.text != f"re: {n}"
        or reply.completion is None
        or reply.completion.reason != _WORDS[n % len(_WORDS)]
    ]
    assert wrong == []


async def test_history_is_each_persons_own() -> None:
    async def recall(request: TurnRequest) -> str:
        return "heard " + "|".join(line.text for line in request.history)

    manager = BotSessionManager()
    await manager.chat(recall, "a", "from a")
    await manager.chat(recall, "b", "from b")

    assert await manager.chat(recall, "a", "again") == "heard from a|heard "


async def test_memory_does_not_grow_with_every_chat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.embedded._TRIM_EVERY", 16)
    monkeypatch.setattr("gateway.embedded._LINES", 10)
    monkeypatch.setattr("gateway.embedded._PEOPLE", 5)
    manager = BotSessionManager()
    agent = _Says("fine " * 100)

    async def chats(first: int, last: int) -> int:
        for number in range(first, last):
            await manager.chat(agent, f"u{number % 40}", "hello")
            await manager.chat(agent, "faithful", "hello")
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = await chats(0, 200)
        after = await chats(200, 800)
    finally:
        tracemalloc.stop()

    assert after - before < 400_000  # bytes; kept in full, 1200 turns are several millions
