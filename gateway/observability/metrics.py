"""Numbers of one gateway process, for Prometheus; labels are bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from gateway.completion.registry import ENDINGS

__all__ = ["Metrics", "watch_loop"]

_RESULTS = frozenset({"delivered", "undeliverable", "expired", "dropped", "retrying", "maybe_duplicate"})
_SECONDS = (0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600)
_BEAT = 0.5  # seconds between two looks at the loop


class Metrics:
    """The numbers of one process; every instance has a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._turns = Counter(
            "lastword_turns", "Turns that ended.", ("bot", "platform", "reason"), registry=self.registry
        )
        self._seconds = Histogram(
            "lastword_turn_seconds",
            "From acceptance to the ending.",
            ("bot",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._waits = Histogram(
            "lastword_queue_wait_seconds",
            "From acceptance to the start of the turn.",
            ("bot",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._unclassified = Counter(
            "lastword_turns_unclassified",
            "Turns whose ending nothing named; must stay 0.",
            ("bot",),
            registry=self.registry,
        )
        self._deliveries = Counter(
            "lastword_deliveries",
            "Answers by what became of them.",
            ("bot", "result"),
            registry=self.registry,
        )
        self._silent = Counter(
            "lastword_turns_without_visible_outcome",
            "Turns that neither showed anything nor name a reason for it; must stay 0.",
            ("bot",),
            registry=self.registry,
        )
        self._gauges()

    def _gauges(self) -> None:
        self._lag = Gauge(
            "lastword_event_loop_lag_seconds", "How late the loop runs.", registry=self.registry
        )
        self._held = Gauge(
            "lastword_partitions_held",
            "Partitions of a bot that this process speaks for, where several could.",
            ("bot",),
            registry=self.registry,
        )
        self._threads = Gauge(
            "lastword_abandoned_threads",
            "Threads of agents that still run though their turn has ended.",
            ("agent",),
            registry=self.registry,
        )

    def turn(self, *, bot: str, platform: str, reason: str, seconds: float) -> None:
        """Count an ending."""
        self._turns.labels(bot, platform, reason if reason in ENDINGS else "unknown").inc()
        self._seconds.labels(bot).observe(max(seconds, 0.0))

    def waited(self, *, bot: str, seconds: float) -> None:
        """Count a turn's wait before it began."""
        self._waits.labels(bot).observe(max(seconds, 0.0))

    def unclassified(self, *, bot: str) -> None:
        """Count an ending that nothing named."""
        self._unclassified.labels(bot).inc()

    def silent(self, *, bot: str) -> None:
        """Count a turn that showed nothing without a reason."""
        self._silent.labels(bot).inc()

    def delivery(self, *, bot: str, result: str) -> None:
        """Count what became of an answer."""
        self._deliveries.labels(bot, result if result in _RESULTS else "unknown").inc()

    def lag(self, seconds: float) -> None:
        """Note how late the loop ran."""
        self._lag.set(seconds)

    def held(self, counts: Mapping[str, int]) -> None:
        """Note of which bots how many partitions are held here; the others are not told of."""
        self._held.clear()
        for bot, count in counts.items():
            self._held.labels(bot).set(count)

    def threads(self, *, agent: str, abandoned: int) -> None:
        """Note how many threads of an agent run on for nobody."""
        self._threads.labels(agent).set(abandoned)

    def render(self) -> bytes:
        """All numbers in Prometheus' text format."""
        return generate_latest(self.registry)


async def watch_loop(metrics: Metrics, *, beat: float = _BEAT) -> None:
    """Measure the event loop's lag every `beat` seconds until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + beat
        await asyncio.sleep(beat)
        metrics.lag(max(loop.time() - due, 0.0))
