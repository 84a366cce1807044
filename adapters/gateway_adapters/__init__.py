"""Adapters that ship with Lastword, one folder each."""
