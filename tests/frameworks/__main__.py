"""`python -m tests.frameworks` writes the table into agents/README.md; `--lock` pins newer releases first."""

from __future__ import annotations

import sys

from tests.frameworks.environments import lock
from tests.frameworks.table import README, updated

if "--lock" in sys.argv[1:]:
    lock()
README.write_text(updated(README.read_text("utf-8")), "utf-8")
