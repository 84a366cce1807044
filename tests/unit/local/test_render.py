"""An answer as what the page shows."""

from __future__ import annotations

import json

from gateway.messages import Action, Answer, Note
from gateway_adapters.local.render import render

NOTE = Note("⚠️ Something went wrong.", "error", language="de", direction="ltr", reference="Ref K7Q2M")


def test_answer_is_one_part_whose_id_derives_from_the_key() -> None:
    (part,) = render(Answer("*hi*"), key="letter-1")

    assert part.id == "letter-1.0"
    assert part.body == {"text": "*hi*", "html": '<p dir="auto"><em>hi</em></p>'}
    assert part.plain == {"text": "*hi*"}
    assert part.role == "text"


def test_note_stays_apart_from_the_text() -> None:
    (part,) = render(Answer("partial", note=NOTE), key="k")

    assert "went wrong" not in part.body["html"]
    assert part.body["note"] == {
        "text": "⚠️ Something went wrong.",
        "language": "de",
        "direction": "ltr",
        "reference": "Ref K7Q2M",
        "reason": "error",
    }
    assert part.plain["note"] == part.body["note"]


def test_note_alone_is_a_note_part() -> None:
    (part,) = render(Answer("\n ", note=NOTE), key="k")

    assert part.role == "note"
    assert part.body["html"] == ""


def test_actions_keep_their_order() -> None:
    actions = (Action("retry", "t.0", "Nochmal"), Action("new", "t.1", "Neu"))

    (part,) = render(Answer(note=NOTE, actions=actions), key="k")

    assert part.body["actions"] == [
        {"kind": "retry", "token": "t.0", "label": "Nochmal"},
        {"kind": "new", "token": "t.1", "label": "Neu"},
    ]


def test_lead_stands_apart() -> None:
    (part,) = render(Answer("x", lead="You may see this twice"), key="k")

    assert part.body["lead"] == "You may see this twice"
    assert "twice" not in part.body["html"]


def test_plain_answer_is_not_read_as_markdown() -> None:
    (part,) = render(Answer("*1* <b>", plain=True), key="k")

    assert part.body["html"] == '<p dir="auto" class="lw-plain">*1* &lt;b&gt;</p>'


def test_text_is_kept_byte_for_byte() -> None:
    text = " a \n\nb\t\u202e"

    (part,) = render(Answer(text), key="k")

    assert part.body["text"] == text


def test_rendering_without_the_note_is_the_rest_of_the_rendering_with_it() -> None:
    """Off means off: the flag takes the note away and nothing else."""
    (off,) = render(Answer("**a** b"), key="k")
    (on,) = render(Answer("**a** b", note=NOTE), key="k")

    assert off.body == {name: value for name, value in on.body.items() if name != "note"}


def test_empty_answer_is_no_part() -> None:
    assert render(Answer(" "), key="k") == ()


def test_body_is_ready_for_json() -> None:
    (part,) = render(Answer("a", note=NOTE, actions=(Action("stop", "t", "Stop"),), lead="l"), key="k")

    assert json.loads(json.dumps(part.body)) == part.body
