"""A folder of text files as a platform: messages are dropped into it, answers appear in it."""
