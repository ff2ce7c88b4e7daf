"""How metrics and judges compare with people."""
