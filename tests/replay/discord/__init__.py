"""Example dispatches of Discord, and what they mean."""
