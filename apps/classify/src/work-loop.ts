import { classifyWaiting, INDEXED_CHANNEL } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type pg from 'pg'

export interface WorkOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly signal: AbortSignal
}

/** New blocks wake the loop; facts about contracts come later and wake nobody. */
const LOOK_EVERY_MS = 1_000
const MAX_DELAY_MS = 15_000
const LOG_EVERY_MS = 10_000

/** Classifies what waits, until the signal aborts. The work in hand is finished first: it is one transaction. */
export async function workLoop({ pool, log, signal }: WorkOptions): Promise<void> {
  const bell = new Bell(pool, signal)
  const done = { traces: 0, actions: 0, failed: 0 }
  let loggedAt = performance.now()
  let delay = LOOK_EVERY_MS
  while (!signal.aborted) {
    try {
      const { traces, actions, failed } = await classifyWaiting(pool)
      delay = LOOK_EVERY_MS
      done.traces += traces
      done.actions += actions
      done.failed += failed
      if (done.traces > 0 && performance.now() - loggedAt > LOG_EVERY_MS) {
        log.info('traces classified', { ...done })
        Object.assign(done, { traces: 0, actions: 0, failed: 0 })
        loggedAt = performance.now()
      }
      if (traces > 0) continue
      await bell.wait(LOOK_EVERY_MS)
    } catch (error) {
      if (signal.aborted) return
      log.warn('traces could not be classified', { error, retry_in_ms: delay })
      await bell.wait(delay)
      delay = Math.min(delay * 2, MAX_DELAY_MS)
    }
  }
}

/** Rings when blocks were indexed; without a connection to listen on, time alone wakes the sleeper. */
class Bell {
  #client: pg.PoolClient | undefined
  #ring: () => void = () => {}

  constructor(
    private readonly pool: pg.Pool,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => {
      this.#client?.release(true)
      this.#ring()
    })
  }

  async wait(atMostMs: number): Promise<void> {
    await this.#listen().catch(() => {})
    if (this.signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, atMostMs)
      this.#ring = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #listen(): Promise<void> {
    if (this.#client) return
    const client = await this.pool.connect()
    client.on('notification', () => this.#ring())
    client.once('error', () => {
      this.#client = undefined
      client.release(true)
    })
    this.#client = client
    await client.query(`listen ${INDEXED_CHANNEL}`)
  }
}
