"""Commands for those who write workflows: check, graph, convert, compile and so on."""
