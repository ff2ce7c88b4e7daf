"""Pages of shared tasks: for hosts, for teams, and the public call."""
