"""The way out, from the YAML to the wire of three platforms."""
