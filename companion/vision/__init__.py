"""From pictures to cards. Knows nothing of rules."""
