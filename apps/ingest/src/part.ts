import { sleep } from '@shardwalk/concurrency'

/** Something that goes on as long as ingest runs. */
export interface Part {
  /** Ends soon after the signal aborts. Failures in between are the part's own affair: it never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** Lets go of what the part holds. */
  close?(timeoutMs: number): Promise<void>
}

/** Time for a part to end by itself before what it holds is taken from it. */
const ENDING_MS = 1_000

/** Runs parts until `stopping` aborts. Returns what closes them, which is due in any case. */
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
