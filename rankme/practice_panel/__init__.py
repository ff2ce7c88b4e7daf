"""A practice panel: it answers as Prolific does, and no money moves.

It is a process of its own on the loopback interface. A production site refuses to start it.
"""
