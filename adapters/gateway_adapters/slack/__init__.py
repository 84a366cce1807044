"""Slack, by Socket Mode or by HTTP, with a reception of its own that commits before it acknowledges."""
