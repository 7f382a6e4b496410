"""Formats of the annotation tool Mercury: its dump, FaithBench's release, and its database."""
