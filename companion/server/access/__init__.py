"""Who may come in: devices and their badges, pairing, certificates, and what every request must pass."""
