"""The built-in agent: one model, instructions and tools, on pydantic-ai."""
