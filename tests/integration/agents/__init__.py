"""Agent runtimes against what is on the other side of them."""
