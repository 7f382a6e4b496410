"""Exchange of work between workspaces: JSON lines, bundles, and a shared PostgREST table."""
