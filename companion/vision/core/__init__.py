"""Shared value types and the network runtime: geometry, labels, sightings, events."""
