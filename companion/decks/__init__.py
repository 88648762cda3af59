"""Learnt decks: what the cards of one design look like, from one picture of each."""
