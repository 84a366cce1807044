"""What operators do for their store, with the real commands beside a real gateway."""
