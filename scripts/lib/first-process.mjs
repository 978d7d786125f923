/**
 * The first process of a container ignores signals that it does not handle: it ends on them until the program
 * has handlers of its own. `pid`: of this process.
 */
export function endOnSignals(pid = process.pid) {
  if (pid !== 1) return
  for (const name of ['SIGINT', 'SIGTERM'])
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(0)
    })
}
