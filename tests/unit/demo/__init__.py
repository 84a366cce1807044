"""The demo's page, words and supervisor."""
