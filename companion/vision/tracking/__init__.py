"""The whole table: who laid a card, who drew, where the draw pile is, camera hints."""
