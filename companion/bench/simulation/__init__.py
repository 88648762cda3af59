"""Simulated matches with people, and their scores against the truth."""
