"""The agents of real frameworks, each in an environment of its own, against an emulated provider."""
