"""By TLS a server proves who it is before a password is sent to it."""

from __future__ import annotations

import asyncio
import secrets
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gateway.admin.moving import export_server, restore_server
from gateway.errors import StoreError
from gateway.stores.redis import RedisStore
from gateway.stores.redis.address import parse
from tests.emulators.valkey import empty_address, shared_url
from tests.integration.redis.load import opened


def _certificate(folder: Path, address: str) -> tuple[Path, Path]:
    """A certificate that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "server")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert, secret = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return cert, secret


@asynccontextmanager
async def _door(cert: Path, key: Path) -> AsyncGenerator[str]:
    """Takes TLS off before the shared server; the address to come to."""
    host, port = parse(shared_url(), base=Path()).hosts[0]
    joined: set[asyncio.Task[None]] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
        except OSError:
            return
        finally:
            writer.close()

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, port)
        joined.update({asyncio.create_task(pump(reader, back)), asyncio.create_task(pump(there, writer))})

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    server = await asyncio.start_server(join, "127.0.0.1", 0, ssl=context)
    try:
        yield f"rediss://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    finally:
        server.close()
        if joined:
            await asyncio.wait(joined, timeout=2.0)


async def test_a_server_that_proves_itself_is_taken(tmp_path: Path) -> None:
    cert, key = _certificate(tmp_path, "127.0.0.1")
    async with _door(cert, key) as url, opened(empty_address(f"{url}?ca={cert}")) as store:
        await store.set("key", b"value")

        assert await store.get("key") == b"value"


async def test_backup_and_restore_come_the_same_way(tmp_path: Path) -> None:
    cert, key = _certificate(tmp_path, "127.0.0.1")
    async with _door(cert, key) as url:
        address = f"{url}?ca=cert.pem&prefix=test-{secrets.token_hex(6)}"
        async with opened(parse(address, base=tmp_path)) as store:
            await store.set("key", b"value")
        await export_server(address, base=tmp_path, target=tmp_path / "backup")

        await restore_server(address, base=tmp_path, source=tmp_path / "backup", anew=True)

        async with opened(parse(address, base=tmp_path)) as store:
            assert await store.get("key") == b"value"


@pytest.mark.parametrize("lie", ["unknown", "other name"])
async def test_a_server_that_does_not_is_refused_at_once(tmp_path: Path, lie: str) -> None:
    cert, key = _certificate(tmp_path, "127.0.0.1" if lie == "unknown" else "127.0.0.2")
    async with _door(cert, key) as url:
        address = empty_address(f"{url}?ca={cert}")
        store = RedisStore(replace(address, ca=None) if lie == "unknown" else address)

        with pytest.raises(StoreError, match="does not prove who it is by TLS"):
            await store.open()


async def test_a_missing_file_is_told(tmp_path: Path) -> None:
    store = RedisStore(empty_address(f"rediss://127.0.0.1:1/0?ca={tmp_path / 'none.pem'}"))

    with pytest.raises(StoreError, match=r"reads no file .*none\.pem"):
        await store.open()
