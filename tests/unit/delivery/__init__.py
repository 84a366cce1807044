"""The way out, attacked."""
