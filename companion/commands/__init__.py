"""The commands, one module each; `companion.cli` imports them on demand."""
