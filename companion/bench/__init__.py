"""The benchmarks, one module each; `companion bench` imports them on demand."""
