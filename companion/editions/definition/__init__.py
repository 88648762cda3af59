"""Definitions of editions: TOML files read, checked and written."""
