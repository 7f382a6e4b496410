"""Exchange of annotators' work between workspaces: JSON lines, zips, a shared table."""
