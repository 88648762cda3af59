"""The shipped weights."""
