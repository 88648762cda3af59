"""Finds and identifies cards of a learnt deck by its pictures: by visible parts, verified cell by cell."""
