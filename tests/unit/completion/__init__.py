"""Tests of the completion room."""
