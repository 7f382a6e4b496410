"""Mercury: its dump, FaithBench's release of one, and its database."""
