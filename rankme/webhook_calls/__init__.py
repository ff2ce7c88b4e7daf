"""Calls to the addresses that organisers named: signed, bounded, and never into this network."""
