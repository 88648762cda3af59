"""The discard pile from one still picture to the next: motion gate, state, features, change."""
