"""What holds for all tests."""

import signal

# A shell that starts the tests in the background has SIGINT ignored. Every process that they start would inherit that,
# and could not be stopped with Ctrl-C as some tests do.
signal.signal(signal.SIGINT, signal.default_int_handler)
