"""What the service's operations do."""
