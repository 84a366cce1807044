"""Try an agent that somebody brought, and say in plain words what people would meet."""

from gateway.cli.trial.examine import examine
from gateway.cli.trial.findings import Finding, Plan
from gateway.cli.trial.turns import Trial
from gateway.cli.trial.watching import watched

__all__ = ["Finding", "Plan", "Trial", "examine", "watched"]
