"""Matches on disk: the journal of accepted lines and the store around it."""
