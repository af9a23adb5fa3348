"""The workflows that ship with flowc: data files, found by `flowc run NAME`."""
