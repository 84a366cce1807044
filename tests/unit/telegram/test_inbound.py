"""What Telegram's updates mean."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.messages import Attachment, Event, Inbound, Person, Place
from gateway_adapters.telegram.inbound import Me, read_update
from gateway_adapters.telegram.news import migration

ME = Me(42, "Helper_Bot")
ADA: dict[str, Any] = {"id": 7, "is_bot": False, "first_name": "Ada", "last_name": "L", "language_code": "de"}
PRIVATE: dict[str, Any] = {"id": 7, "type": "private"}
GROUP: dict[str, Any] = {"id": -1001234567890, "type": "supergroup", "title": "G", "is_forum": True}


def _event(update: object) -> Event:
    return read_update(update, b"raw", ME)


def _message(**more: Any) -> Event:
    message = {"message_id": 5, "date": 1_700_000_000, "chat": PRIVATE, "from": ADA, **more}
    return _event({"update_id": 9, "message": message})


def _inbound(**more: Any) -> Inbound:
    inbound = _message(**more).inbound
    assert inbound is not None
    return inbound


def _mark(kind: str, offset: int, length: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **more}


def test_private_message_is_read_whole() -> None:
    event = _message(text="hello")

    assert event == Event(
        b"raw",
        ("u:9", "m:7:5"),
        Inbound(
            "message",
            Place("7"),
            Person("7", "Ada L", "de"),
            text="hello",
            message_id="5",
            at=1_700_000_000.0,
        ),
    )


def test_ids_beyond_32_bits_survive() -> None:
    chat = {"id": 7_000_000_001, "type": "private"}

    assert _inbound(text="x", chat=chat).place.chat == "7000000001"


@pytest.mark.parametrize(
    ("text", "length", "command", "rest"),
    [
        ("/stop", 5, "stop", ""),
        ("/STOP", 5, "stop", ""),
        ("/language  de ", 9, "language", "de"),
        ("/stop@helper_bot now", 16, "stop", "now"),
        ("/start ABC-123", 6, "start", "ABC-123"),
        ("/new\nthen 😀 this", 4, "new", "then 😀 this"),
    ],
)
def test_command_is_taken_apart(text: str, length: int, command: str, rest: str) -> None:
    inbound = _inbound(text=text, entities=[_mark("bot_command", 0, length)])

    assert (inbound.kind, inbound.command, inbound.text) == ("command", command, rest)


@pytest.mark.parametrize(
    ("text", "offset", "length"),
    [("/etc/hosts is broken", 0, 4), ("please /stop", 7, 5), ("/stop", 0, 4)],
)
def test_what_only_looks_like_a_command_is_text(text: str, offset: int, length: int) -> None:
    inbound = _inbound(text=text, entities=[_mark("bot_command", offset, length)])

    assert (inbound.kind, inbound.command, inbound.text) == ("message", "", text)


def test_command_for_another_bot_is_left_to_it_in_a_group() -> None:
    event = _message(text="/stop@other_bot", entities=[_mark("bot_command", 0, 15)], chat=GROUP)

    assert (event.inbound, event.dropped, event.dedupe) == (None, "foreign_command", ())


def test_command_for_another_bot_is_text_where_nobody_else_is() -> None:
    inbound = _inbound(text="/stop@other_bot", entities=[_mark("bot_command", 0, 15)])

    assert (inbound.kind, inbound.text) == ("message", "/stop@other_bot")


def test_command_after_a_mention_is_a_command() -> None:
    marks = [_mark("mention", 0, 11), _mark("bot_command", 12, 5)]

    inbound = _inbound(text="@helper_bot /stop", entities=marks, chat=GROUP)

    assert (inbound.command, inbound.addressed) == ("stop", True)


def test_group_talk_is_not_addressed() -> None:
    inbound = _inbound(text="hello all", chat=GROUP)

    assert not inbound.addressed
    assert not inbound.place.private


@pytest.mark.parametrize(
    ("text", "mark", "said"),
    [
        ("@helper_bot continue", _mark("mention", 0, 11), "continue"),
        ("@HELPER_BOT, hi", _mark("mention", 0, 11), "hi"),
        ("😀 @helper_bot hi", _mark("mention", 3, 11), "😀 @helper_bot hi"),
        ("@helper_bot", _mark("mention", 0, 11), "@helper_bot"),
        ("Helper hi", _mark("text_mention", 0, 6, user={"id": 42}), "hi"),
    ],
)
def test_mention_addresses_and_is_no_part_of_what_is_said(text: str, mark: Any, said: str) -> None:
    inbound = _inbound(text=text, entities=[mark], chat=GROUP)

    assert inbound.addressed
    assert inbound.text == said


@pytest.mark.parametrize(
    "mark",
    [
        _mark("mention", 0, 10),
        _mark("mention", 1, 11),
        _mark("code", 0, 11),
        _mark("text_mention", 0, 11, user={"id": 43}),
    ],
)
def test_mention_of_others_does_not_address(mark: Any) -> None:
    assert not _inbound(text="@helper_bot hi", entities=[mark], chat=GROUP).addressed


def test_reply_to_the_bot_addresses_it() -> None:
    inbound = _inbound(text="and?", chat=GROUP, reply_to_message={"message_id": 3, "from": {"id": 42}})

    assert inbound.addressed
    assert inbound.reply_to == "3"


def test_reply_to_somebody_else_does_not() -> None:
    inbound = _inbound(text="and?", chat=GROUP, reply_to_message={"message_id": 3, "from": ADA})

    assert (inbound.addressed, inbound.reply_to) == (False, "3")


def test_talk_in_a_topic_the_bot_made_is_no_reply_to_it() -> None:
    """Telegram shows each message there as an answer to the topic's first one."""
    first = {"message_id": 36, "from": {"id": 42}, "forum_topic_created": {"name": "t"}}

    inbound = _inbound(
        text="hi", chat=GROUP, message_thread_id=36, is_topic_message=True, reply_to_message=first
    )

    assert (inbound.addressed, inbound.reply_to) == (False, "")


@pytest.mark.parametrize(
    ("more", "thread"),
    [
        ({"message_thread_id": 36, "is_topic_message": True}, "36"),
        ({"message_thread_id": 36}, ""),
        ({}, ""),
    ],
)
def test_thread_is_the_topic_and_never_a_mere_reply_chain(more: dict[str, Any], thread: str) -> None:
    assert _inbound(text="x", chat=GROUP, **more).place.thread == thread


def test_topic_in_a_private_chat_is_kept() -> None:
    place = _inbound(text="x", message_thread_id=4, is_topic_message=True).place

    assert place == Place("7", "4", private=True)


def test_hidden_address_stands_beside_its_label() -> None:
    marks = [
        _mark("text_link", 3, 4, url="https://a.example"),
        _mark("text_link", 9, 2, url="tg://b"),
        _mark("bold", 0, 2),
    ]

    inbound = _inbound(text="😀 here, da", entities=marks)

    assert inbound.text == "😀 here (https://a.example), da (tg://b)"


def test_link_that_shows_its_address_is_left_alone() -> None:
    marks = [_mark("text_link", 0, 8, url="https://"), _mark("url", 0, 8), _mark("code", 0, 2)]

    assert _inbound(text="https://", entities=marks).text == "https://"


@pytest.mark.parametrize(
    ("more", "kind", "id_"),
    [
        ({"photo": [{"file_id": "s"}, {"file_id": "l", "file_size": 9}]}, "image", "l"),
        (
            {"document": {"file_id": "d", "file_name": "a.pdf", "mime_type": "application/pdf"}},
            "document",
            "d",
        ),
        ({"voice": {"file_id": "v"}}, "voice", "v"),
        ({"audio": {"file_id": "a"}}, "audio", "a"),
        ({"video_note": {"file_id": "n"}}, "video", "n"),
        ({"animation": {"file_id": "g"}, "document": {"file_id": "g"}}, "video", "g"),
    ],
)
def test_file_is_an_attachment_and_its_caption_the_text(more: dict[str, Any], kind: str, id_: str) -> None:
    inbound = _inbound(caption="look", **more)

    assert [(file.kind, file.id) for file in inbound.attachments] == [(kind, id_)]
    assert (inbound.text, inbound.unreadable) == ("look", "")


def test_attachment_keeps_what_is_known_of_it() -> None:
    file = {"file_id": "d", "file_name": "a.pdf", "mime_type": "application/pdf", "file_size": 10}

    assert _inbound(document=file).attachments == (
        Attachment("d", "document", "application/pdf", "a.pdf", 10),
    )


def test_mention_in_a_caption_addresses() -> None:
    marks = [_mark("mention", 0, 11)]

    inbound = _inbound(
        caption="@helper_bot see", caption_entities=marks, photo=[{"file_id": "p"}], chat=GROUP
    )

    assert (inbound.addressed, inbound.text) == (True, "see")


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"sticker": {}}, "sticker"),
        ({"poll": {}}, "poll"),
        ({"venue": {}, "location": {}}, "venue"),
        ({"contact": {}}, "contact"),
        ({"something_of_next_year": {}}, "other"),
    ],
)
def test_message_that_is_no_text_says_what_it_is(more: dict[str, Any], kind: str) -> None:
    """A person who sent it gets an answer, also for kinds that this version has never heard of."""
    assert _inbound(**more).unreadable == kind


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"from": ADA | {"id": 42, "is_bot": True}, "text": "x"}, "own"),
        ({"from": ADA | {"is_bot": True}, "text": "x"}, "bot"),
        ({"from": None, "text": "x"}, "channel"),
        ({"is_automatic_forward": True, "text": "x"}, "channel"),
        ({"pinned_message": {}}, "service"),
        ({"new_chat_members": []}, "service"),
        ({"forum_topic_edited": {}}, "service"),
        ({"migrate_to_chat_id": -1005}, "migrated"),
        ({"migrate_from_chat_id": -5}, "migrated"),
    ],
)
def test_dropped_message_says_why_and_takes_no_key(more: dict[str, Any], why: str) -> None:
    event = _message(**more)

    assert (event.inbound, event.dropped, event.dedupe, event.raw) == (None, why, (), b"raw")


def test_anonymous_administrator_is_a_person() -> None:
    behind = {"id": 1087968824, "is_bot": True, "first_name": "Group"}

    inbound = _inbound(text="hi", **{"from": behind}, chat=GROUP, sender_chat=GROUP)

    assert inbound.sender == Person("-1001234567890", "G")


@pytest.mark.parametrize(
    ("update", "why"),
    [
        ({"edited_message": {}}, "channel"),
        ({"my_chat_member": {}}, "membership"),
        ({"poll_answer": {}}, "unsupported"),
        ({"callback_query": {"id": "1", "from": ADA, "game_short_name": "g", "message": {}}}, "unsupported"),
        ({"callback_query": {"id": "1", "from": ADA, "data": "t"}}, "unsupported"),
    ],
)
def test_update_of_another_kind_is_dropped(update: dict[str, Any], why: str) -> None:
    assert _event({"update_id": 1, **update}).dropped == why


def test_press_names_who_pressed_and_what() -> None:
    shown = {"message_id": 8, "date": 0, "chat": GROUP, "message_thread_id": 36, "is_topic_message": True}
    query = {"id": "q1", "from": ADA, "message": shown, "data": "token"}

    event = _event({"update_id": 9, "callback_query": query})

    assert event.dedupe == ("u:9", "q:q1")
    assert event.inbound == Inbound(
        "action",
        Place("-1001234567890", "36", private=False),
        Person("7", "Ada L", "de"),
        message_id="8",
        action="token",
        press="q1",
    )


@pytest.mark.parametrize(
    "update",
    [
        None,
        [],
        {},
        {"update_id": "x", "message": {}},
        {"update_id": float("inf")},
        {"update_id": 1, "message": None},
        {"update_id": 1, "message": {"from": ADA, "text": "x"}},
        {"update_id": 1, "message": {"from": ADA, "chat": {"id": 1e400}, "text": "x", "message_id": 1}},
        {
            "update_id": 1,
            "message": {"from": ADA, "chat": PRIVATE, "text": "x", "message_id": 1, "entities": 3},
        },
        {"update_id": 1, "callback_query": {"id": 5, "from": ADA, "data": "t", "message": {"chat": PRIVATE}}},
    ],
)
def test_update_that_cannot_be_read_is_kept_as_it_is(update: object) -> None:
    assert _event(update) == Event(b"raw", dropped="unparsable")


@pytest.mark.parametrize("mark", [_mark("mention", -1, 4), _mark("mention", 0, -4), ["mention"]])
def test_entity_that_lies_outside_is_unparsable(mark: object) -> None:
    assert _message(text="@helper_bot", entities=[mark]).dropped == "unparsable"


def test_half_a_character_is_replaced_where_a_store_could_not_write_it() -> None:
    inbound = _inbound(text="a\ud83d b", **{"from": ADA | {"first_name": "\udc00", "last_name": ""}})

    assert inbound.text == "a\ufffd b"
    assert inbound.sender.name == "\ufffd"


def test_migration_is_found() -> None:
    update = {"update_id": 1, "message": {"chat": {"id": -5}, "migrate_to_chat_id": -1005}}

    assert migration(update) == ("-5", "-1005")


@pytest.mark.parametrize("update", [None, {}, {"message": []}, {"message": {"chat": {"id": -5}}}])
def test_migration_is_not_found_elsewhere(update: object) -> None:
    assert migration(update) is None
