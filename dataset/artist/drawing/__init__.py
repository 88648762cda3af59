"""Marks on a canvas: inks, lettering, symbols, pictures and scenery."""
