"""The built-in agent against every provider it names, on the wire."""
