import {
  claimContracts,
  type DatabaseHandle,
  deriveTokenEvents,
  type Examined,
  postponeContract,
  type QueuedContract,
  requeueItems,
  writeContracts,
} from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { BlockSource } from '@shardwalk/pipeline'
import { TvmPool } from '@shardwalk/tvm'
import { loopUntilAborted } from '../retry.ts'
import { ContractEnvironment } from './environment.ts'
import { Examiner } from './examine.ts'
import type { StateSource } from './state-source.ts'
import { seedZerostates } from './zerostates.ts'

export interface RefresherOptions {
  readonly database: DatabaseHandle
  readonly source: Pick<BlockSource, 'masterchainBlockId' | 'getBlock' | 'getZerostate'>
  readonly states: StateSource
  readonly threads: number
  readonly log: Logger
  /** While true, rounds are far apart: what history touches again and again is examined once. Default: never. */
  readonly isCatchingUp?: () => boolean
}

/** Accounts of one round: few enough that the head's are not kept waiting by a round of history. */
const ROUND = { contracts: 64, batches: 16 } as const
/** Longer than a round can take; a process that died gives its accounts back after it. */
const LEASE_SECONDS = 60
/** Other processes commit too. */
const POLL_MS = 1_000
const ZONES_EVERY_MS = 30_000

/**
 * Examines the accounts that batches left in the queue and writes what they are; derives token events. May run in any number of processes:
 * what one was doing when it died, another does after the lease.
 */
export class ContractRefresher {
  readonly #pool: TvmPool
  readonly #environment: ContractEnvironment
  readonly #examiner: Examiner
  readonly totals = { examined: 0, failed: 0 }
  #isSeeded = false
  #zonesAt = Number.NEGATIVE_INFINITY
  #wake: () => void = () => {}
  #isAwake = false

  constructor(private readonly options: RefresherOptions) {
    const { database, source, states, threads } = options
    this.#pool = new TvmPool({ threads })
    this.#environment = new ContractEnvironment({ db: database.db, source, states, pool: this.#pool })
    this.#examiner = new Examiner({
      db: database.db,
      states,
      pool: this.#pool,
      environment: this.#environment,
    })
  }

  /** To be called after the commit of a block near the head. */
  wake(): void {
    this.#isAwake = true
    this.#wake()
  }

  /** Until the signal; ends the threads. */
  async run(signal: AbortSignal): Promise<void> {
    await loopUntilAborted(
      async () => {
        this.#isAwake = false
        while (!signal.aborted && (await this.round())) if (this.options.isCatchingUp?.()) break
        await this.#sleep(signal)
      },
      {
        signal,
        maxDelayMs: 5_000,
        onError: (error) => this.options.log.warn('contracts could not be refreshed', { error }),
      },
    )
    await this.close()
  }

  /** One round of work; false when there was none. */
  async round(): Promise<boolean> {
    const { database } = this.options
    const lease = { leaseSeconds: LEASE_SECONDS }
    const batches = await deriveTokenEvents(database, { limit: ROUND.batches, ...lease })
    if (!(await this.#environment.update())) return false
    this.#isSeeded ||= await seedZerostates(database, this.options.source)
    const queued = await claimContracts(database.db, { limit: ROUND.contracts, ...lease })
    if (queued.length > 0) await this.#examineAll(queued)
    return batches > 0 || queued.length > 0
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #examineAll(queued: readonly QueuedContract[]): Promise<void> {
    await this.#updateZones()
    const reader = this.#examiner.open()
    const outcomes = await Promise.allSettled(queued.map((one) => this.#examiner.examine(one, reader)))
    const examined: Examined[] = []
    for (const [index, outcome] of outcomes.entries())
      if (outcome.status === 'fulfilled') examined.push(outcome.value)
      else await this.#failed(queued[index] as QueuedContract, outcome.reason)
    await this.#write(examined)
    this.totals.examined += examined.length
  }

  /** Contracts may answer numbers that no column holds: such a one is not listed, and the others are written without it. */
  async #write(examined: readonly Examined[]): Promise<void> {
    const { pool } = this.options.database
    try {
      await writeContracts(pool, examined)
    } catch (error) {
      if (!isDataError(error)) throw error
      if (examined.length > 1) {
        for (const one of examined) await this.#write([one])
        return
      }
      this.options.log.warn('contract answers what cannot be stored', {
        account_id: String(examined[0]?.accountId),
        error,
      })
      await writeContracts(
        pool,
        examined.map((one) => ({ ...one, found: [] })),
      )
    }
  }

  /** It is tried again soon, then less and less often. */
  async #failed(one: QueuedContract, error: unknown): Promise<void> {
    this.totals.failed++
    this.options.log.warn('contract could not be examined', {
      account_id: String(one.accountId),
      lt: String(one.lt),
      error,
    })
    await postponeContract(this.options.database.db, one.accountId)
  }

  /** Items of a collection that turns out to hold domains are looked at again. */
  async #updateZones(): Promise<void> {
    if (performance.now() - this.#zonesAt < ZONES_EVERY_MS) return
    const added = await this.#environment.updateZones(this.#examiner.open())
    await requeueItems(this.options.database.db, added)
    this.#zonesAt = performance.now()
  }

  #sleep(signal: AbortSignal): Promise<void> {
    if (this.#isAwake || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(done, POLL_MS)
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
      this.#wake = done
    })
  }
}

/** SQLSTATE class 22: a value is out of its column's range or form. */
const isDataError = (error: unknown): boolean =>
  error instanceof RangeError || /^22/.test(String((error as { code?: unknown } | null)?.code))
