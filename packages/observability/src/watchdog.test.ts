import { expect, test } from 'vitest'
import { createShutdown, EXIT } from './shutdown.ts'
import { createWatchdog } from './watchdog.ts'

test('a process exits, to be restarted, when a part has been silent for the limit', async () => {
  let now = 0
  const exits: number[] = []
  const shutdown = createShutdown({ exit: (code) => exits.push(code) })
  const watchdog = createWatchdog({ shutdown, limitMs: 1000, now: () => now })
  const queue = watchdog.watch('queue')
  const sweep = watchdog.watch('sweep')
  now = 900
  queue()
  sweep()
  now = 1800
  watchdog.check()
  expect(shutdown.signal.aborted).toBe(false)
  sweep()
  now = 1900
  watchdog.check()
  await shutdown.run()
  expect(exits).toEqual([EXIT.tryAgain])
})
