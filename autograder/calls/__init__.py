"""One call and what it did: what an author specifies, what is observed, how both are sent."""
