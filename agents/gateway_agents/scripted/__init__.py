"""An agent that follows a script: every ending on demand, for the demo, tests and trying out notes."""
