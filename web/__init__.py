"""The pages, served by `companion.server`."""
