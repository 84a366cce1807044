"""Agents as operators write them, a module for each framework, imported in its environment only."""
