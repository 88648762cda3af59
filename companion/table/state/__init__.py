"""How the table stands: observations, seats, debts, thresholds."""
