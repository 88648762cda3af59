"""Which card each picture of a deck shows: assignment, clustering, consistency, corrections."""
