"""Who people are, how they sign in, where they were and what they like."""
