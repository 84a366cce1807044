-- For a restore only, which has shut everybody else out.
restorer = take()
