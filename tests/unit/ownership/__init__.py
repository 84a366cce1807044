"""Who speaks for a bot."""
