"""The demo: two bots, one message, and every way a turn can end; needs no token, key or server."""
