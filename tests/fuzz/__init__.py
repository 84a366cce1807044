"""Inputs nobody would write by hand: `make fuzz` looks for them, `make test` tries some."""
