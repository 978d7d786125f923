import { IndexerError } from '@shardwalk/model'
import type { Logger } from './logger.ts'
import { EXIT, type Shutdown } from './shutdown.ts'
import { tellSupervisor } from './supervisor-channel.ts'

interface Ending {
  readonly log: Logger
  readonly shutdown: Shutdown
  /** What failed, for the log. */
  readonly message: string
}

/** Ends a process that failed. `start` ends with it if only a correction helps. */
export async function endOnFailure(error: unknown, { log, shutdown, message }: Ending): Promise<void> {
  // What a shutdown interrupts fails too.
  if (shutdown.signal.aborted) return await shutdown.run()
  log.error(message, { error })
  const isFinal = error instanceof IndexerError && error.retry === 'never'
  if (isFinal) await tellSupervisor({ type: 'fatal', message: error.message })
  await shutdown.run(isFinal ? EXIT.fix : EXIT.tryAgain)
}
