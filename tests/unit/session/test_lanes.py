"""Conversations never share a lane that should not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gateway.messages import Inbound, Person, Place
from gateway.session.lanes import Scope, bot_of, control_lane, conversation_lane, conversation_of, lane_of

_IDS = st.text("0123456789-ABCDEFGHIJ.", min_size=1, max_size=12)
_PLACES = st.builds(Place, _IDS, st.one_of(st.just(""), _IDS), st.booleans())
_PEOPLE = st.builds(Person, _IDS)
_SCOPES = st.sampled_from(["auto", "user", "chat", "thread"])


@given(_PLACES, _PLACES, _PEOPLE, _PEOPLE, _SCOPES)
def test_two_chats_are_never_one_conversation(
    one: Place, other: Place, ada: Person, bob: Person, scope: Scope
) -> None:
    """Whatever the scope, a group never bleeds into a private chat, nor into another group."""
    if one.chat != other.chat:
        assert conversation_of(one, ada, scope) != conversation_of(other, bob, scope)


@given(_PLACES, _PEOPLE, _PEOPLE)
def test_people_of_a_group_are_apart_only_where_that_is_asked_for(
    place: Place, ada: Person, bob: Person
) -> None:
    same = conversation_of(place, ada, "user") == conversation_of(place, bob, "user")

    assert same == (place.private or ada.id == bob.id)
    assert conversation_of(place, ada) == conversation_of(place, bob)


@given(_PLACES, _PEOPLE, _SCOPES)
def test_chat_that_moved_keeps_its_conversation(place: Place, ada: Person, scope: Scope) -> None:
    moved = Place("elsewhere", place.thread, place.private, formerly=place.chat)

    assert conversation_of(moved, ada, scope) == conversation_of(place, ada, scope)


@given(_PLACES, _PEOPLE, _SCOPES)
def test_control_lane_leads_back_to_its_conversation(place: Place, ada: Person, scope: Scope) -> None:
    _, lane = lane_of("bot", Inbound("message", place, ada), scope)
    name, control = lane_of("bot", Inbound("command", place, ada, command="stop"), scope)

    assert (control, conversation_lane(control), bot_of(name)) == (control_lane(lane), lane, "bot")
