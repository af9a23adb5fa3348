"""What the database of any store is: schema, encryption, ownership, leases."""
