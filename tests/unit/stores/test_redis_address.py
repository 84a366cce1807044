"""One line of a configuration says where the server is and how it is spoken to."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.errors import StoreError
from gateway.stores.redis.address import Address, parse

BASE = Path("/etc/lastword")


@pytest.mark.parametrize(
    ("url", "hosts", "database"),
    [
        ("redis://host", (("host", 6379),), 0),
        ("redis://host:7000/3", (("host", 7000),), 3),
        ("valkey://10.0.0.1/", (("10.0.0.1", 6379),), 0),
        ("redis://[::1]:7000/1", (("::1", 7000),), 1),
        ("redis://[::1]", (("::1", 6379),), 0),
        ("redis://one,two:7?sentinel=main", (("one", 26379), ("two", 7)), 0),
    ],
)
def test_an_address_names_hosts_and_a_database(
    url: str, hosts: tuple[tuple[str, int], ...], database: int
) -> None:
    address = parse(url, base=BASE)

    assert (address.hosts, address.database) == (hosts, database)


def test_credentials_are_read_and_shown_nowhere() -> None:
    address = parse("redis://us%40er:p%2Fw:x@host:1/2", base=BASE)

    assert (address.username, address.password) == ("us@er", "p/w:x")
    assert address.shown == "redis://host:1/2"
    assert "p/w" not in repr(address)


@pytest.mark.parametrize("scheme", ["rediss", "valkeys"])
def test_tls_files_start_from_the_base(scheme: str) -> None:
    address = parse(f"{scheme}://host?ca=ca.pem&cert=/run/c.pem&key=k.pem", base=BASE)

    assert address.tls
    assert (address.ca, address.cert, address.key) == (BASE / "ca.pem", Path("/run/c.pem"), BASE / "k.pem")


def test_options_are_read() -> None:
    address = parse("redis://host?prefix=other&allow_volatile=yes&connections=8", base=BASE)

    assert address == Address(
        "redis://host", (("host", 6379),), prefix="other", allow_volatile=True, connections=8
    )


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("redis://:hunter2@", "names no host; write it like redis://127.0.0.1:6379/0"),
        ("redis://:hunter2@host:0", "has no number of 1 or more for its port"),
        ("redis://:hunter2@host:x", "has no number of 1 or more for its port"),
        ("redis://:hunter2@host/name", "has no number of 0 or more for its database"),
        ("redis://:hunter2@one,two", "names several hosts; say sentinel=NAME"),
        ("redis://:hunter2@host?timeout=3", "has an unknown option 'timeout'; there are allow_volatile, ca"),
        ("redis://:hunter2@host?ca=x", "has the option 'ca', which is for rediss://"),
        ("rediss://:hunter2@host?cert=x", "needs both cert=FILE and key=FILE"),
        ("redis://:hunter2@host?allow_volatile=1", "says neither yes nor no for allow_volatile"),
        ("redis://:hunter2@host?connections=2", "has no number of 4 or more for its connections"),
        ("redis://:hunter2@host?prefix={x}", "has a prefix that is empty or holds braces"),
        ("redis://:hunter2@host?prefix=", "has a prefix that is empty or holds braces"),
        ("redis://:hunter2@[::1", "is no address; write it like redis://127.0.0.1:6379/0"),
    ],
)
def test_a_mistake_is_told_without_the_password(rest: str, told: str) -> None:
    with pytest.raises(StoreError) as refused:
        parse(rest, base=BASE)

    assert told in str(refused.value)
    assert "hunter2" not in f"{refused.value!r} {refused.value.__cause__!r}"
