"""Unit tests of the web chat."""
