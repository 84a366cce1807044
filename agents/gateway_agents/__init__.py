"""Agent runtimes that ship with Lastword, one folder each."""
