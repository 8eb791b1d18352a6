#!/usr/bin/env bash
# Run as root for each submission; see README.md. Only instructors see what it prints.
exec /autograder/venv/bin/python -P -m autograder.platforms.gradescope_run "$chapter"
