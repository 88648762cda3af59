"""Cameras, films and picture files, read into frames."""
