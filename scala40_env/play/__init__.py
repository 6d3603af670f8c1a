"""Playing in a terminal: a text prompt and a full-screen table."""
