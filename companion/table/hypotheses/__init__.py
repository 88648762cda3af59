"""How observations can have come about, weighed by rules, seats and timing."""
