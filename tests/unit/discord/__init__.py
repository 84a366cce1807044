"""The Discord adapter, piece by piece."""
