const LOOK_EVERY_MS = 250

/**
 * Calls back when the npm that started this process is gone. npm passes a signal on to the shell that it runs scripts in, and that shell
 * ends without telling us: without this look `kill <npm start>` would leave everything running.
 */
export function onNpmGone(callback: () => void, env: NodeJS.ProcessEnv = process.env): void {
  if (env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    callback()
  }, LOOK_EVERY_MS)
  timer.unref()
}
