"""Configuration, errors, the data folder's lock: what every other part may use."""
