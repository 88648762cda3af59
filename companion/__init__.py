"""A companion for UNO Mario Kart, UNO Minecraft and classic UNO on a real table."""
