"""Draws card faces and backs in many styles, and wears them."""
