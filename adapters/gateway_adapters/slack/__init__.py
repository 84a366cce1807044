"""Slack, by Socket Mode or by HTTP, on slack-bolt, with a commit before each acknowledgement."""
