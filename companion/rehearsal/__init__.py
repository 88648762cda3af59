"""A rehearsal: a match played with photographs of cards, sent to a running companion by a device."""
