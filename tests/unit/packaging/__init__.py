"""What is shipped beside the code."""
