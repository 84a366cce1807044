"""Who speaks for a bot where several processes run it: a lease a partition, a fence before every call."""

from __future__ import annotations

from gateway.ownership.fence import Fence, Fenced, Gate
from gateway.ownership.leases import LEASES, Leases
from gateway.ownership.queues import bot_of, partition_of, queue_name
from gateway.ownership.replicas import PREFIX, Stake
from gateway.ownership.shape import Ownership
from gateway.ownership.sole import Sole

__all__ = [
    "LEASES",
    "PREFIX",
    "Fence",
    "Fenced",
    "Gate",
    "Leases",
    "Ownership",
    "Sole",
    "Stake",
    "bot_of",
    "partition_of",
    "queue_name",
]
