"""Values of classes that misbehave hide nothing of what stands beside them."""

from __future__ import annotations

from gateway.completion import AgentReply, TurnCompletion, classify_error, classify_response
from tests.fuzz.trees import Hostile, HostileMapping, HostileText


def test_text_of_a_hostile_class_is_read_all_the_same() -> None:
    code = HostileText("insufficient_quota")

    assert classify_error(status=429, body={"error": {"code": code, "message": code}}).token == code
    assert classify_error(status=429, body={"error": HostileText("add credits")}).reason == "quota_exhausted"
    found = classify_response({"type": "error", "error": code, "finish_reason": "SAFETY"})
    assert found is not None
    assert found.reason == "content_filtered"


def test_value_that_is_neither_true_nor_false_hides_nothing() -> None:
    """An array of numbers refuses to be either."""
    for name in ("error", "status_details", "content_filter_results", "images", "stop_details", "usage"):
        found = classify_response({name: {"error": Hostile()} | {"x": Hostile()}, "finish_reason": "SAFETY"})
        assert found is not None
        assert found.reason == "content_filtered"
        found = classify_response({name: Hostile(), "finishReason": "stop", "stop_reason": "SAFETY"})
        assert found is not None
        assert found.reason == "content_filtered"


def test_record_of_a_hostile_mapping_is_no_success() -> None:
    for hostile in (HostileMapping(), {"reason": HostileMapping()} | {"steps": Hostile()}):
        assert TurnCompletion.from_dict(hostile).reason in {"error", ""}
    assert TurnCompletion.from_dict(HostileMapping()).reason == "error"
    assert AgentReply.from_dict(HostileMapping()) == AgentReply()
