const POLL_INTERVAL_MS = 250

/**
 * Calls back when the npm that started this process has exited. npm forwards a signal to the shell in which
 * it runs scripts, and that shell exits without notifying its child, so `kill <npm start>` would leave
 * everything running.
 */
export function onNpmExit(callback: () => void, env: NodeJS.ProcessEnv = process.env): void {
  if (env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    callback()
  }, POLL_INTERVAL_MS)
  timer.unref()
}
