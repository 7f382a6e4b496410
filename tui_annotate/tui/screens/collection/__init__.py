"""The tree screen of a report collection: the rows with their texts, and the screen itself."""
