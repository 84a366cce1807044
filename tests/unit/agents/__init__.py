"""Agent runtimes, one by one."""
