// Loaded into every child process: a child whose parent is gone, however it went, ends as if it had been told to.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
