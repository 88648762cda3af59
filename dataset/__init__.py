"""Makes pictures of cards: the artist draws decks, the scene maker lays them out, the simulated table plays."""
