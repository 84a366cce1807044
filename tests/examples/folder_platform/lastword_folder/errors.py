"""What the disk says, as the errors of the gateway; the only place that knows them."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Generator

from gateway.errors import DeadTarget, Rejected, Uncertain, Unreachable

__all__ = ["as_delivery"]

_NOT_WRITTEN = {
    errno.EACCES, errno.EDQUOT, errno.ENOENT, errno.ENOSPC, errno.ENOTDIR, errno.EPERM, errno.EROFS
}  # fmt: skip


@contextlib.contextmanager
def as_delivery() -> Generator[None]:
    """Raise what goes wrong on the disk as the `DeliveryError` it means: it decides what happens next."""
    try:
        yield
    except FileExistsError as exc:
        raise DeadTarget("a file stands in the place of the chat's folder: no answers wanted") from exc
    except OSError as exc:
        word = errno.errorcode.get(exc.errno or 0, "")
        if exc.errno == errno.EFBIG:
            raise Rejected("the file system takes no file of this size", status=word) from exc
        if exc.errno in _NOT_WRITTEN:
            raise Unreachable("the outbox cannot be written", status=word) from exc
        raise Uncertain("the disk failed while the answer was written", status=word) from exc
