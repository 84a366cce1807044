"""Several gateway processes on one store."""
