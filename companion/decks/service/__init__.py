"""Learning a deck, reading with it, and updating it from a match."""
