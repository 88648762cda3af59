"""Figures over all finished matches: people, hall of fame, awards."""
