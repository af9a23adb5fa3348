"""The database of a store: connections, schema, encryption, ownership, leases."""
