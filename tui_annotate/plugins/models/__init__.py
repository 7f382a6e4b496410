"""Models that stand in folders: fetched by one command alone, and looked at before they run."""
