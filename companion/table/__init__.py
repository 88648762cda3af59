"""A running table: turns observations and taps into moves of the referee, questions and numbered updates."""
