"""Log lines, masks and numbers."""
