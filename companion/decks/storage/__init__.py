"""Deck files, the library of learnt decks, cached arrays."""
