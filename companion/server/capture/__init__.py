"""The running camera, deck lessons, hand scans and learning from corrections."""
