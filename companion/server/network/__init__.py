"""Sockets, TLS, addresses, compression and the stream of live messages."""
