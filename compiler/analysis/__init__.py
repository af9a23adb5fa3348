"""Facts about a workflow that checks, lowering and pictures share: graphs, schedules, bounds."""
