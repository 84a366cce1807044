"""The one shared HTTP server; adapters and pages hand it their routes."""

from gateway.http.live import LiveRoutes
from gateway.http.server import Server

__all__ = ["LiveRoutes", "Server"]
