"""Studies of the assist: how well it ranks evidence, how people use it, and its tuning."""
