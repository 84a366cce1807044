"""The session, attacked."""
