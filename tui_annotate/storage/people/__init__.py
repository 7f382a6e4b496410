"""People: who they are, how they sign in, their last positions and their preferences."""
