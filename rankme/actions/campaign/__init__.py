"""Creating, planning, launching, extending and correcting campaigns."""
