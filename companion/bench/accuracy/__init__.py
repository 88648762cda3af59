"""Accuracy on simulated tables: decks, films and whole matches, compared with the truth."""
