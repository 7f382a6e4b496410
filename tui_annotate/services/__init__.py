"""What users do: one deed a module; none knows another."""
