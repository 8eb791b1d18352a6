"""What an author and an instructor keep: chapters, the course's folders, releases, self-tests."""
