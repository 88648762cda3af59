"""Values that states and rules are made of; they import nothing else of the referee."""
