"""What attacks and audits cost."""
