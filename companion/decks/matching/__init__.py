"""Finds and identifies cards of a learnt deck by its pictures: keypoints and cells."""
