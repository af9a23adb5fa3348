"""What front ends share: the protocol, what an editor completes, the JSON tree."""
