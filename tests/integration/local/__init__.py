"""The web chat and the shared server on real ports."""
