"""The full-screen table: one file for each part of the screen."""
