"""Composes scenes: cards on tables among other objects, photographed with exact labels."""
