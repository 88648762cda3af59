"""What a learnt deck knows of its cards: views, prototypes, open-set scores."""
