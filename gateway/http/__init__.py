"""The one shared HTTP server; adapters and pages hand it their routes."""

from gateway.http.server import Server

__all__ = ["Server"]
