import { sleep } from '@shardwalk/concurrency'

/** A component that runs as long as ingest does. */
export interface Part {
  /** Resolves soon after the signal aborts. Never rejects: the part handles its own failures. */
  run(signal: AbortSignal): Promise<void>
  /** Releases the part's resources. */
  close?(timeoutMs: number): Promise<void>
}

/** Time allowed for a part to end by itself before it is closed. */
const ENDING_MS = 1_000

/**
 * Runs parts until `stopping` aborts. Returns a function that closes them, which must be called in any case.
 */
export function runParts(
  parts: readonly Part[],
  stopping: AbortController,
): (timeoutMs: number) => Promise<void> {
  const running = parts.map((part) => ({ part, run: part.run(stopping.signal) }))
  return async (timeoutMs) => {
    stopping.abort(new Error('ingest is stopping'))
    const closing = running.map(async ({ part, run }) => {
      await Promise.race([run, sleep(ENDING_MS)])
      await part.close?.(timeoutMs)
    })
    await Promise.all(closing)
  }
}
