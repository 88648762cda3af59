"""What screens show and say: views, updates, questions, sentences."""
