"""Decks of any art: numbers, words, symbols, pictures, strokes on any ground. For embeddings, not for card readers."""
