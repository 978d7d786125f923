// Loaded into every child process: if its parent disappears for any reason, the child shuts down.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
