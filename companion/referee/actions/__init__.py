"""What moves do to a match: one function per kind of move, and the interpreter of special cards."""
