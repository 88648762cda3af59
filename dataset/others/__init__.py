"""Draws what lies on tables and is no card of the deck: other games, print, screens. Negatives for fits and tests."""
