"""Sound: tools that change a file, and what can be measured of one.

A call is data, is checked in flowc's process and done in one of its own (`calls`,
`tools`), so that decoders and effects never run beside flowc.
"""
