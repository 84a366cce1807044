"""Configurations, good and bad."""
