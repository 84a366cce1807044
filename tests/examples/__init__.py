"""Packages as other people would write them, and tests that install them."""
