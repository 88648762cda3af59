"""The deck artist: draws faces and backs in many styles, and wears them."""
