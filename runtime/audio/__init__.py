"""Sound: tools that change a file, and what can be measured of one.

A call is data (`calls`), is checked in flowc's process and done in one of its own (`child`,
`worker`), so that decoders and effects never run beside flowc.
"""
