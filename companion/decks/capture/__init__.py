"""From pictures of a deck laid card by card to one outline per card."""
