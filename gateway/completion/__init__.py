"""How turns end: the registry, the record and the readers; pure."""
