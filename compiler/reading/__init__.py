"""What front ends share: the protocol, values with places, markdown fences, the JSON tree."""
