"""The stores, beyond the contract they share."""
