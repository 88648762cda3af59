"""What several commands share: lazy loading, parameters, defaults from the settings."""
