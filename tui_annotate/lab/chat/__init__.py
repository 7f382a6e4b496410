"""Ask chat models behind endpoints: client, prompts, strict parsing of replies."""
