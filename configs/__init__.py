"""Configuration files, installed as `scala40_env.configs`."""
