"""The web chat on the gateway's own port: no platform, no account, no outside asset."""
