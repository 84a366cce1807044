"""Who is let in, and what the others are told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Literal

import pytest

from gateway.access import Door, Verdict
from gateway.messages import Inbound, Person, Place
from gateway.stores.memory import MemoryStore
from gateway.testing.clock import ManualClock

HOUR, DAY = 3600.0, 86_400.0


@dataclass(frozen=True, slots=True)
class _Rules:
    dm: Literal["pairing", "allowlist", "open", "off"] = "pairing"
    groups: Literal["mention", "reply", "all", "off"] = "mention"
    allow: tuple[str, ...] = ()
    admins: tuple[str, ...] = ()


class _House:
    """A door with its store and clock; a new door on the same store is the gateway after a restart."""

    def __init__(self, rules: _Rules | None = None) -> None:
        self.rules = rules or _Rules()
        self.clock = ManualClock()
        self.store = MemoryStore(clock=self.clock)
        self.door = self.again()
        self._said = 0

    def again(self, **changes: object) -> Door:
        self.rules = replace(self.rules, **changes)  # type: ignore[arg-type]  # names are checked when it runs
        self.door = Door(self.rules, self.store, self.clock, "support")
        return self.door

    async def says(
        self, text: str = "hi", *, who: str = "1", command: str = "", message: str = ""
    ) -> Verdict:
        self._said += 1
        return await self.door.decide(
            Inbound(
                "command" if command else "message",
                Place(who),
                Person(who, f"P{who}"),
                text=text,
                command=command,
                message_id=message or str(self._said),
            )
        )


def _in_group(*, who: str = "1", chat: str = "-9", **values: object) -> Inbound:
    inbound = Inbound("message", Place(chat, private=False), Person(who), text="hi", message_id="7")
    return replace(inbound, **values)  # type: ignore[arg-type]  # names are checked when it runs


async def test_stranger_gets_a_code_and_not_the_agent() -> None:
    verdict = await _House().says()

    assert (verdict.allowed, verdict.rule, verdict.say) == (False, "dm:pairing", "pairing")
    assert len(verdict.code) == 6
    assert set(verdict.code) <= set("23456789ABCDEFGHJKMNPQRSTUVWXYZ")


async def test_code_stays_the_same_for_an_hour_and_is_told_once_a_minute() -> None:
    house = _House()

    first = await house.says()
    at_once = await house.says()
    house.clock.advance(61)
    later = await house.says()
    house.clock.advance(HOUR)
    fresh = await house.says()

    assert (at_once.allowed, at_once.say) == (False, "")
    assert later.code == first.code
    assert fresh.say == "pairing"
    assert fresh.code != first.code


async def test_approved_person_is_let_in_also_after_a_restart() -> None:
    house = _House()
    code = (await house.says()).code

    person = await house.door.approve(f" {code[:3].lower()}-{code[3:]} ")

    assert person == Person("1", "P1")
    assert (await house.says()).allowed
    house.again()
    assert (await house.says()).allowed


async def test_code_works_once() -> None:
    house = _House()
    code = (await house.says()).code
    await house.door.approve(code)

    assert await house.door.approve(code) is None


async def test_code_works_for_one_hour() -> None:
    house = _House()
    code = (await house.says()).code
    house.clock.advance(HOUR + 1)

    assert await house.door.approve(code) is None
    assert not (await house.says()).allowed


@pytest.mark.parametrize("code", ["", "AAAAAA", "ÄÖÜ", "\ud800", "x" * 10_000])
async def test_unknown_code_lets_nobody_in(code: str) -> None:
    house = _House()
    await house.says()

    assert await house.door.approve(code) is None


async def test_code_of_one_bot_is_nothing_to_another() -> None:
    house = _House()
    code = (await house.says()).code

    assert await Door(house.rules, house.store, house.clock, "other").approve(code) is None


async def test_open_codes_are_bounded_and_the_rest_is_denied_once() -> None:
    house = _House()
    told = [await house.says(who=str(number)) for number in range(100)]

    one_more = await house.says(who="late")
    again = await house.says(who="late")
    house.clock.advance(HOUR + 1)
    after_an_hour = await house.says(who="late")

    assert {verdict.say for verdict in told} == {"pairing"}
    assert (one_more.allowed, one_more.say) == (False, "denied")
    assert (again.allowed, again.say) == (False, "")
    assert after_an_hour.say == "pairing"


@pytest.mark.parametrize("command", ["", "start"])
async def test_owner_claims_the_bot_with_the_code(command: str) -> None:
    house = _House()
    code = await house.door.owner_code()

    verdict = await house.says(code.lower(), command=command)

    assert (verdict.allowed, verdict.say) == (True, "paired")
    assert await house.door.is_admin("1")
    assert await house.door.owner_code() == ""
    assert (await house.says()).say == ""
    assert await house.again().is_admin("1")


async def test_owner_code_is_the_same_until_it_is_used() -> None:
    house = _House()
    code = await house.door.owner_code()

    assert len(code) == 8
    assert await house.again().owner_code() == code


async def test_owner_code_works_once() -> None:
    house = _House()
    code = await house.door.owner_code()
    await house.says(code)

    thief = await house.says(code, who="2")

    assert (thief.allowed, thief.say) == (False, "pairing")
    assert not await house.door.is_admin("2")


async def test_two_who_know_the_code_get_one_owner() -> None:
    house = _House()
    code = await house.door.owner_code()

    both = await asyncio.gather(house.says(code, who="1"), house.says(code, who="2"))
    owners = [await house.door.is_admin(person) for person in ("1", "2")]

    assert sorted(verdict.allowed for verdict in both) == [False, True]
    assert sorted(owners) == [False, True]


async def test_message_that_claimed_gets_the_same_answer_after_a_crash() -> None:
    """The claim is durable before the answer is; the message is decided again after the restart."""
    house = _House()
    code = await house.door.owner_code()
    await house.says(code, message="m1")

    again = house.again()
    verdict = await house.says(code, message="m1")

    assert (verdict.allowed, verdict.say) == (True, "paired")
    assert await again.is_admin("1")


async def test_message_that_was_denied_gets_the_same_answer_after_a_crash() -> None:
    house = _House(_Rules(dm="allowlist"))
    await house.says(message="m1")
    house.again()

    assert (await house.says(message="m1")).say == "denied"
    assert (await house.says(message="m2")).say == ""


async def test_guessing_is_stopped_after_five_wrong_codes() -> None:
    house = _House()
    code = await house.door.owner_code()
    wrong = "22222222" if code != "22222222" else "33333333"
    for _ in range(5):
        assert not (await house.says(wrong)).allowed

    too_late = await house.says(code)
    somebody_else = await house.says(code, who="2")

    assert not too_late.allowed
    assert somebody_else.allowed


async def test_guesser_may_try_again_after_an_hour() -> None:
    house = _House()
    code = await house.door.owner_code()
    for _ in range(5):
        await house.says("22222222" if code != "22222222" else "33333333")
    house.clock.advance(HOUR + 1)

    assert (await house.says(code)).allowed


async def test_ordinary_words_are_no_guesses() -> None:
    """`thank you` has eight letters, one of which no code has."""
    house = _House()
    code = await house.door.owner_code()
    for _ in range(9):
        await house.says("thank you")

    assert (await house.says(code)).allowed


async def test_code_is_not_taken_from_another_command_or_a_group() -> None:
    house = _House()
    code = await house.door.owner_code()

    assert not (await house.says(code, command="new")).allowed
    assert not (await house.door.decide(_in_group(text=code))).allowed


@pytest.mark.parametrize(
    "rules", [_Rules(dm="open"), _Rules(dm="off"), _Rules(dm="allowlist"), _Rules(admins=("1",))]
)
async def test_bot_that_needs_no_owner_offers_no_code(rules: _Rules) -> None:
    assert await _House(rules).door.owner_code() == ""


@pytest.mark.parametrize(
    ("rules", "allowed", "say"),
    [
        (_Rules(dm="open"), True, ""),
        (_Rules(dm="off"), False, "denied"),
        (_Rules(dm="off", admins=("1",), allow=("1",)), False, "denied"),
        (_Rules(dm="allowlist"), False, "denied"),
        (_Rules(dm="allowlist", allow=("1",)), True, ""),
        (_Rules(dm="allowlist", admins=("1",)), True, ""),
        (_Rules(dm="pairing", allow=("1",)), True, ""),
        (_Rules(dm="pairing", admins=("1",)), True, ""),
    ],
)
async def test_private_chat_follows_the_rules(rules: _Rules, allowed: bool, say: str) -> None:
    verdict = await _House(rules).says()

    assert (verdict.allowed, verdict.rule, verdict.say) == (allowed, f"dm:{rules.dm}", say)


async def test_denial_is_told_once_a_day() -> None:
    house = _House(_Rules(dm="allowlist"))

    told = [(await house.says()).say for _ in range(3)]
    house.clock.advance(DAY + 1)

    assert told == ["denied", "", ""]
    assert (await house.says()).say == "denied"
    assert (await house.says(who="2")).say == "denied"


async def test_stricter_rules_put_paired_people_and_the_owner_out() -> None:
    house = _House()
    await house.says(await house.door.owner_code())
    assert (await house.says()).allowed

    house.again(dm="allowlist")

    assert not (await house.says()).allowed
    assert not await house.door.is_admin("1")


async def test_admins_are_who_is_listed() -> None:
    door = _House(_Rules(admins=("1",))).door

    assert await door.is_admin("1")
    assert not await door.is_admin("2")


@pytest.mark.parametrize("mode", ["mention", "reply", "all", "off"])
@pytest.mark.parametrize("inbound", [
    _in_group(addressed=False),
    _in_group(addressed=True),
    _in_group(addressed=True, reply_to="6"),
    _in_group(addressed=True, kind="command", command="stop"),
    _in_group(addressed=False, kind="action", action="t"),
], ids=["overheard", "mention", "reply", "command", "press"])  # fmt: skip
async def test_group_message_is_taken_by_the_groups_mode(
    mode: Literal["mention", "reply", "all", "off"], inbound: Inbound, request: pytest.FixtureRequest
) -> None:
    taken = {
        "mention": {"mention", "reply", "command", "press"},
        "reply": {"reply", "command", "press"},
        "all": {"overheard", "mention", "reply", "command", "press"},
        "off": set[str](),
    }

    verdict = await _House(_Rules(dm="open", groups=mode)).door.decide(inbound)

    assert verdict.allowed == (request.node.callspec.id.split("-")[0] in taken[mode])
    assert verdict.say == ""


@pytest.mark.parametrize(
    ("rules", "allowed", "rule"),
    [
        (_Rules(dm="open"), True, "groups:open"),
        (_Rules(dm="pairing", allow=("-9",)), True, "groups:open"),
        (_Rules(dm="off", allow=("-9",)), True, "groups:open"),
        (_Rules(dm="allowlist", allow=("1",)), True, "groups:known"),
        (_Rules(dm="pairing", admins=("1",)), True, "groups:known"),
        (_Rules(dm="pairing"), False, "groups:unknown"),
        (_Rules(dm="allowlist", allow=("2",)), False, "groups:unknown"),
    ],
)
async def test_group_lets_in_who_would_be_let_in_alone_or_everybody_where_it_is_listed(
    rules: _Rules, allowed: bool, rule: str
) -> None:
    verdict = await _House(rules).door.decide(_in_group())

    assert (verdict.allowed, verdict.rule) == (allowed, rule)


async def test_group_never_hears_a_code_and_hears_of_a_denial_only_when_it_asked() -> None:
    house = _House(_Rules(groups="all"))

    overheard = await house.door.decide(_in_group(addressed=False))
    asked = await house.door.decide(_in_group(addressed=True))

    assert (overheard.say, overheard.code) == ("", "")
    assert (asked.say, asked.code) == ("denied", "")


async def test_paired_person_is_let_in_in_groups_too() -> None:
    house = _House()
    await house.door.approve((await house.says()).code)

    assert (await house.door.decide(_in_group())).allowed


async def test_other_bots_are_left_alone_unless_listed() -> None:
    """Two bots that answer each other never end."""
    robot = Inbound("message", Place("5"), Person("5", bot=True), text="hi")

    left = await _House(_Rules(dm="open")).door.decide(robot)
    listed = await _House(_Rules(dm="open", allow=("5",))).door.decide(robot)

    assert (left.allowed, left.rule, left.say) == (False, "bots", "")
    assert listed.allowed
