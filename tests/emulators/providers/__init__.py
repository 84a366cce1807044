"""Strict model providers on loopback: one server, a dialect for each protocol."""
