"""Routes for what is stored: matches, decks, people, devices."""
