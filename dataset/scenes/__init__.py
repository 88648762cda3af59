"""The scene maker: lays cards on tables among other things and photographs them, with exact labels."""
