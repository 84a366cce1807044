"""The shared server, on a real port."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from gateway.errors import ConfigError
from gateway.http import Server
from tests.integration.local.scene import until

_MIB = 1024 * 1024


async def _hello(_: Request) -> Response:
    return PlainTextResponse("hello")


async def _size(request: Request) -> Response:
    return JSONResponse({"size": len(await request.body())})


async def _scheme(request: Request) -> Response:
    client = request.client
    return JSONResponse({"scheme": request.url.scheme, "client": client.host if client else ""})


async def _broken(_: Request) -> Response:
    raise RuntimeError("the password is hunter2")


async def _breaks_later(_: Request) -> Response:
    async def body() -> AsyncIterator[bytes]:
        yield b"begun"
        raise RuntimeError("the password is hunter2")

    return StreamingResponse(body(), headers={"content-length": "100"})


async def _forever(_: Request) -> Response:
    async def body() -> AsyncIterator[bytes]:
        while True:
            yield b"data: tick\n\n"
            await asyncio.sleep(3600)

    return StreamingResponse(body(), media_type="text/event-stream")


ROUTES: Sequence[BaseRoute] = [
    Route("/hello", _hello),
    Route("/size", _size, methods=["POST"]),
    Route("/scheme", _scheme),
    Route("/broken", _broken),
    Route("/later", _breaks_later),
    Route("/forever", _forever),
]


@contextlib.asynccontextmanager
async def _client(server: Server) -> AsyncGenerator[httpx.AsyncClient, None]:
    async with httpx.AsyncClient(base_url=server.address, timeout=5.0, trust_env=False) as client:
        yield client


async def test_server_answers_on_the_free_port_it_reports() -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        answer = await client.get("/hello")

        assert server.port > 0
        assert server.address == f"http://127.0.0.1:{server.port}"
        assert (answer.status_code, answer.text) == (200, "hello")


async def test_server_says_nothing_about_itself() -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        assert "server" not in (await client.get("/hello")).headers


async def test_server_serves_until_it_is_stopped() -> None:
    server = Server("127.0.0.1", 0, ROUTES)

    async with asyncio.TaskGroup() as tasks, asyncio.timeout(5.0):
        serving = tasks.create_task(server.serve())
        await until(lambda: server.port)
        async with _client(server) as client:
            assert (await client.get("/hello")).text == "hello"
        server.stop()
        await serving

    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", server.port)) != 0


async def test_server_leaves_signals_to_the_gateway() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    async with Server("127.0.0.1", 0, ROUTES):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


async def test_server_serves_on_sockets_it_is_given() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    async with Server("ignored.invalid", 1, ROUTES, sockets=[listener]) as server, _client(server) as client:
        assert server.port == port
        assert (await client.get("/hello")).text == "hello"


async def test_taken_port_is_a_clear_error() -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server:
        with pytest.raises(ConfigError) as caught:
            async with Server("127.0.0.1", server.port, ROUTES):
                pass

    (problem,) = caught.value.problems
    assert problem.startswith(f"server.port: 127.0.0.1:{server.port} is taken by another program; ")


@pytest.mark.parametrize(
    ("host", "says"),
    [("no-such-host.invalid", "not a known address"), ("192.0.2.1", "is no address of this machine")],
)
async def test_impossible_host_is_a_clear_error(host: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        async with Server(host, 0, ROUTES):
            pass


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 on this machine")
async def test_server_answers_on_ipv6() -> None:
    try:
        async with Server("::1", 0, ROUTES) as server, _client(server) as client:
            assert server.address == f"http://[::1]:{server.port}"
            assert (await client.get("/hello")).text == "hello"
    except ConfigError:
        pytest.skip("IPv6 is compiled in but not configured here")


async def test_open_streams_end_at_once_at_a_stop() -> None:
    """A page that listens must not hold up a restart, and sees a clean end."""
    loop = asyncio.get_running_loop()
    async with (
        Server("127.0.0.1", 0, ROUTES) as server,
        _client(server) as client,
        client.stream("GET", "/forever") as stream,
    ):
        chunks = stream.aiter_text()
        assert await anext(chunks) == "data: tick\n\n"
        began = loop.time()

        server_ended = asyncio.create_task(server.__aexit__(None, None, None))

        assert [chunk async for chunk in chunks] == []
        await server_ended
    assert loop.time() - began < 2.0


async def test_stop_lets_a_request_under_way_finish() -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    async def slow(_: Request) -> Response:
        entered.set()
        await leave.wait()
        return PlainTextResponse("done")

    async with httpx.AsyncClient(timeout=5.0, trust_env=False) as client:
        async with Server("127.0.0.1", 0, [Route("/slow", slow)]) as server:
            asking = asyncio.create_task(client.get(f"{server.address}/slow"))
            await entered.wait()
            asyncio.get_running_loop().call_later(0.2, leave.set)

        assert (await asking).text == "done"


async def test_error_in_the_body_stops_the_server_and_comes_through() -> None:
    server = Server("127.0.0.1", 0, ROUTES)
    with pytest.raises(ZeroDivisionError):
        async with server:
            raise ZeroDivisionError

    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", server.port)) != 0


@pytest.mark.parametrize("path", ["/hello", "/broken", "/nowhere"])
async def test_every_answer_carries_the_security_headers(path: str) -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        headers = (await client.get(path)).headers

    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
async def test_broken_route_tells_nothing_internal(accept: str) -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        answer = await client.get("/broken", headers={"accept": accept})

        assert answer.status_code == 500
        assert "hunter2" not in answer.text
        assert "Traceback" not in answer.text
        assert (await client.get("/hello")).status_code == 200


async def test_answer_that_breaks_half_way_is_cut_and_the_server_goes_on() -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get("/later")

        assert (await client.get("/hello")).status_code == 200


@pytest.mark.parametrize(("path", "method", "status"), [("/nowhere", "GET", 404), ("/hello", "POST", 405)])
async def test_unknown_request_gets_a_clean_error(path: str, method: str, status: int) -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        plain = await client.request(method, path, headers={"accept": "text/html"})
        other = await client.request(method, path)

    assert (plain.status_code, other.status_code) == (status, status)
    assert plain.headers["content-type"].startswith("text/plain")
    assert list(other.json()) == ["error"]


async def test_body_is_taken_up_to_the_limit() -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        fits = await client.post("/size", content=b"x" * _MIB)
        larger = await client.post("/size", content=b"x" * (_MIB + 1))

    assert fits.json() == {"size": _MIB}
    assert larger.status_code == 413


async def test_body_of_unknown_length_is_bounded_too() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b"x" * 32_768

    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        answer = await client.post("/size", content=chunks())

    assert answer.status_code == 413


async def test_body_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.http.guard._BODY_SECONDS", 0.05)

    async with Server("127.0.0.1", 0, ROUTES) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"POST /size HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
        async with asyncio.timeout(5.0):
            status = await reader.readline()
        writer.close()
        await writer.wait_closed()

    assert status.startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:1", "127.0.0.1", "127.0.0.2:80", "[::1]:80", "LOCALHOST."]
)
async def test_loopback_server_answers_to_its_own_names(host: str) -> None:
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        assert (await client.get("/hello", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", ""]
)
async def test_loopback_server_refuses_a_name_that_was_made_to_point_at_it(host: str) -> None:
    """DNS rebinding: an outside page's own name resolves to this machine."""
    async with Server("127.0.0.1", 0, ROUTES) as server, _client(server) as client:
        answer = await client.get("/hello", headers={"host": host})

    assert answer.status_code == 421
    assert "public_url" in answer.text


async def test_loopback_server_answers_to_the_public_name() -> None:
    """A proxy on the same machine passes the name on."""
    server = Server("127.0.0.1", 0, ROUTES, public_url="https://Bots.firm.example/x")
    async with server, _client(server) as client:
        assert (await client.get("/hello", headers={"host": "bots.firm.example"})).status_code == 200


async def test_public_server_answers_to_any_name() -> None:
    async with Server("0.0.0.0", 0, ROUTES) as server, _client(server) as client:  # noqa: S104  # the case at hand
        assert server.address.startswith("http://127.0.0.1:")
        assert (await client.get("/hello", headers={"host": "pod-17:8080"})).status_code == 200


@pytest.mark.parametrize(
    ("trusted", "scheme", "seen"), [(["127.0.0.1"], "https", "9.9.9.9"), ([], "http", "127.0.0.1")]
)
async def test_forwarded_headers_count_from_trusted_proxies_only(
    trusted: list[str], scheme: str, seen: str
) -> None:
    server = Server("127.0.0.1", 0, ROUTES, trusted_proxies=trusted)
    async with server, _client(server) as client:
        answer = await client.get(
            "/scheme", headers={"x-forwarded-proto": "https", "x-forwarded-for": "9.9.9.9"}
        )

    assert answer.json() == {"scheme": scheme, "client": seen}
