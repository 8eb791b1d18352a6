"""What a learner uses: check, status, a clean run of the notebook."""
