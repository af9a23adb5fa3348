"""Recording a run's exchanges with the world, and replaying them."""
