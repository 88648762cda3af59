"""The application's services, wired together once per process."""
