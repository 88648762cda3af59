"""The commands of the command line, one module each; `companion.cli` imports them on demand."""
