"""Makes pictures of cards: draws the decks and composes scenes with exact labels."""
