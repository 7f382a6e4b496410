"""Research tools: they use the layers below, and only the registry knows of them."""
