"""The condition of cards: wear, sleeves and bends."""
