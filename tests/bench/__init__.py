"""Measurements as ratios against the bare library, interleaved in one run; `python -m tests.bench`."""
