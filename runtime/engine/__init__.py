"""The life of a run: start, resume, pause, fork, migrate."""
