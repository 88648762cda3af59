"""A match played with photographs of cards: what a camera would film, sent by a device like any other."""
