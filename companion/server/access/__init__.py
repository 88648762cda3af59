"""Access control: devices and badges, pairing, certificates, and checks on every request."""
