"""What `make fuzz` runs works without a fuzzer too, over its seeds and over inputs made of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS
from tests.fuzz.trees import grow, sow

_EACH = 334  # 2,000 in all
_SEEDS = {name: target.seeds() for name, target in TARGETS.items()}
_PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=300), inner, max_size=5),
)


@pytest.mark.parametrize("name", TARGETS)
def test_harness_finds_nothing_in_its_seeds(name: str) -> None:
    assert _SEEDS[name]
    for seed in _SEEDS[name]:
        TARGETS[name].body(seed)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=_EACH, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_harness_finds_nothing_in_changed_seeds(name: str, data: st.DataObject) -> None:
    seed, other = (data.draw(st.sampled_from(_SEEDS[name])) for _ in range(2))
    cut, end = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, len(other)))

    TARGETS[name].body(seed[:cut] + data.draw(st.binary(max_size=12)) + other[end:])


@given(_PLAIN)
def test_plain_value_grows_from_what_was_sown(value: object) -> None:
    assert grow(sow(value)) == value
    assert grow(sow(value), plain=True) == value


@given(st.binary(max_size=200))
def test_any_bytes_grow_into_something(data: bytes) -> None:
    grow(data)
    grow(data, plain=True)
