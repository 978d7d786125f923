import { Alarm, LEASE, type Lease, loopUntilAborted, whileLeased } from '@shardwalk/concurrency'
import {
  claimContracts,
  countMissingStates,
  countRefreshQueue,
  type DatabaseHandle,
  deriveTokenEvents,
  type Examined,
  missingState,
  postponeContract,
  prolongContracts,
  type QueuedContract,
  readAwaitedLibraries,
  readDatabaseRun,
  requeueMissing,
  requeueNextNaming,
  requeueWithCell,
  requeueWithLibraries,
  type SeedState,
  type SetAside,
  seedStates,
  setAsideContracts,
  storeDnsZones,
} from '@shardwalk/db'
import { addressKey } from '@shardwalk/db/rows'
import { formatRawAddress, sameAddress } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import { TvmClosed, TvmPool } from '@shardwalk/tvm'
import { type ChainSource, ContractEnvironment } from './environment.ts'
import { Examiner } from './examiner.ts'
import { StateMissing } from './state-loader.ts'
import type { StateSource } from './state-source.ts'
import { untouchedNamed } from './untouched-named.ts'
import { writeExamined } from './write-examined.ts'
import { ZerostateSeeder } from './zerostates.ts'

export interface RefresherOptions {
  readonly database: DatabaseHandle
  readonly source: ChainSource
  /**
   * Undefined when the chain comes from files; accounts whose blocks do not contain their complete states are
   * then set aside.
   */
  readonly states: StateSource | undefined
  readonly threads: number
  /** Instead of `threads` of its own, see `openTvm`; they are not ended. */
  readonly tvm?: TvmPool
  readonly log: Logger
  /**
   * While true, rounds are less frequent, so that accounts touched repeatedly by history are examined once.
   * Default: never.
   */
  readonly isCatchingUp?: () => boolean
  /** Lease of the accounts of a round. Default: that of all queues. */
  readonly lease?: Lease
  /** Called every 15 seconds with the numbers of contracts that wait and of those that lack their state. */
  readonly onCounts?: (waiting: number, missing: number) => void
}

/** Small enough that a round of history does not delay the head's accounts. */
const ROUND = { contracts: 64, batches: 16 } as const
/** Needed because commits of other processes do not wake this one. */
const POLL_MS = 1_000
/**
 * Time limit of a get-method. Long, because tables must not depend on how busy the machine is; the limit of
 * gas ends methods sooner. Milliseconds.
 */
const METHOD_MS = 10_000
/** How often zones are read from a DNS root that no block touches. */
const ZONES_EVERY_MS = 60_000
/**
 * The last attempt is made twenty minutes after the first. Actions of a trace wait for its states, so waiting
 * has to end.
 */
const MAX_ATTEMPTS = 12
/** Contracts that were set aside are tried again after ten minutes. `libraries`: for 16 requests. */
const MISSING = { everyMs: 15_000, afterSeconds: 600, limit: 1_000, seen: 2_000, libraries: 256 } as const
const NO_CONFIGURATION = 'configuration of the network'

/** Threads that several refreshers may share, and with them what methods returned. */
export const openTvm = (threads: number): TvmPool => new TvmPool({ threads, timeoutMs: METHOD_MS })

/**
 * Examines queued accounts and writes what they are; derives token events. May run in any number of
 * processes: the accounts of one that died are taken by another when its lease is over.
 */
export class ContractRefresher {
  private readonly pool: TvmPool
  private readonly environment: ContractEnvironment
  private readonly examiner: Examiner
  private readonly seeder: ZerostateSeeder
  /** `fetched`: states asked from servers. */
  readonly totals = { examined: 0, failed: 0, fetched: 0, setAside: 0 }
  private zonesAt = Number.NEGATIVE_INFINITY
  private missingAt = Number.NEGATIVE_INFINITY
  /** Up to which libraries were asked about. */
  private lastLibrary: Buffer | undefined
  private databaseRun: string | undefined
  private readonly alarm = new Alarm()
  private readonly lease: Lease

  constructor(private readonly options: RefresherOptions) {
    const { database, source, states, threads, log, lease = LEASE } = options
    this.lease = lease
    this.pool = options.tvm ?? openTvm(threads)
    this.seeder = new ZerostateSeeder({ database, source, log })
    this.environment = new ContractEnvironment({ db: database.db, source, states, pool: this.pool })
    this.examiner = new Examiner({
      db: database.db,
      states,
      pool: this.pool,
      environment: this.environment,
    })
  }

  /** Counts of the TVM threads since the start. */
  get tvm(): TvmPool['counters'] {
    return this.pool.counters
  }

  /** Begins a round at once. Call it after the commit of a block near the head. */
  wake(): void {
    this.alarm.ring()
  }

  /** Runs rounds until the signal aborts, then ends the threads. */
  async run(signal: AbortSignal): Promise<void> {
    await loopUntilAborted(
      async () => {
        while (!signal.aborted && (await this.round())) if (this.options.isCatchingUp?.()) break
        await this.alarm.wait(POLL_MS, signal)
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
    const { lease } = this
    await this.forgetOfOtherRuns()
    const batches = await deriveTokenEvents(database, { limit: ROUND.batches, lease })
    const readiness = await this.environment.update()
    if (readiness === 'empty') return false
    await this.seeder.seed(this.environment.zerostates())
    await this.lookForMissing()
    if (readiness === 'ready') await this.updateZones()
    const isNaming = await requeueNextNaming(database.pool)
    const claim = { limit: ROUND.contracts, leaseSeconds: lease.seconds }
    const queued = await claimContracts(database.db, claim)
    if (readiness === 'no_configuration')
      await this.setAside(queued.map((one) => ({ ...one, what: NO_CONFIGURATION })))
    else if (queued.length > 0) await this.examineAll(queued)
    return batches > 0 || isNaming || queued.length > 0
  }

  async close(): Promise<void> {
    if (!this.options.tvm) await this.pool.close()
  }

  /** Writes of its own that the database has lost are done again. */
  private async forgetOfOtherRuns(): Promise<void> {
    const run = await readDatabaseRun(this.options.database.db)
    if (this.databaseRun === run) return
    this.databaseRun = run
    this.environment.forget()
    this.examiner.forget()
    this.seeder.forget()
  }

  private async examineAll(queued: readonly QueuedContract[]): Promise<void> {
    const { db } = this.options.database
    const prolong = () => prolongContracts(db, queued, this.lease.seconds)
    const { failed, missing } = await whileLeased(() => this.examineLeased(queued), prolong, this.lease)
    await this.postpone(failed)
    await this.setAside(missing)
  }

  /**
   * Examines claimed contracts and writes the results. Returns those that failed and those that lack a state.
   */
  private async examineLeased(queued: readonly QueuedContract[]) {
    const { database, log } = this.options
    await this.environment.readZones()
    const states = this.examiner.open()
    const outcomes = await Promise.allSettled(
      queued.map(async (one) => {
        const result = await this.examiner.examine(one, states)
        return { result, named: await untouchedNamed(result, states) }
      }),
    )
    const examined: Examined[] = []
    const named = new Map<string, SeedState>()
    const missing: SetAside[] = []
    const failed: (QueuedContract & { readonly error: unknown })[] = []
    for (const [index, outcome] of outcomes.entries()) {
      const one = queued[index] as QueuedContract
      if (outcome.status === 'fulfilled') {
        examined.push(outcome.value.result)
        for (const seed of outcome.value.named) named.set(addressKey(seed.address), seed)
      } else if (outcome.reason instanceof StateMissing) missing.push(withoutState(one, outcome.reason))
      else if (one.attempts >= MAX_ATTEMPTS) missing.push({ ...one, what: String(outcome.reason) })
      else failed.push({ ...one, error: outcome.reason })
    }
    await seedStates(database.pool, [...named.values()])
    const refused = await writeExamined({ pool: database.pool, log }, examined)
    this.totals.examined += examined.length
    this.totals.fetched += states.fetched
    return { failed, missing: [...missing, ...refused] }
  }

  private async setAside(missing: readonly SetAside[]): Promise<void> {
    await setAsideContracts(this.options.database.pool, missing)
    this.totals.setAside += missing.length
    if (missing.length > 0)
      this.options.log.debug('states of contracts are missing', {
        count: missing.length,
        example: missing[0]?.what,
      })
  }

  /**
   * Servers may have the state by now; later blocks may have brought a library, those of a file also a
   * configuration or the first wallet of a kind.
   */
  private async lookForMissing(): Promise<void> {
    const { database, states } = this.options
    await this.examiner.storeWalletMethods()
    if (!states) {
      await this.requeuePublished()
      await requeueWithCell(database.db, { limit: MISSING.limit, seen: MISSING.seen })
    }
    if (performance.now() - this.missingAt < MISSING.everyMs) return
    this.missingAt = performance.now()
    if (states)
      await this.requeuePublished().catch((error: unknown) =>
        this.options.log.debug('libraries could not be looked for', { error }),
      )
    const { accounts } = await countRefreshQueue(database.db)
    this.options.onCounts?.(accounts, await countMissingStates(database.db))
    await requeueMissing(database.db, { ...MISSING, what: states ? undefined : NO_CONFIGURATION })
  }

  /**
   * Blocks that publish a library have its cells. Servers are asked only about libraries that are stored:
   * others that contracts wait for may be many, and most are never published. Of those, too, anyone may store
   * many, so that a few are asked about at a time.
   */
  private async requeuePublished(): Promise<void> {
    const { database, states } = this.options
    const page = states ? { after: this.lastLibrary, limit: MISSING.libraries } : {}
    const { stored, last } = await readAwaitedLibraries(database.db, page)
    this.lastLibrary = last
    const hashes = await this.environment.published(stored)
    await requeueWithLibraries(database.db, { hashes, limit: MISSING.limit })
  }

  /** Tries them again later, less and less often. */
  private async postpone(failed: readonly (QueuedContract & { readonly error: unknown })[]): Promise<void> {
    const [first] = failed
    if (!first) return
    this.totals.failed += failed.length
    const example = { account_id: String(first.accountId), lt: String(first.lt), error: first.error }
    // The process is stopping.
    const level = first.error instanceof TvmClosed ? 'debug' : 'warn'
    this.options.log[level]('contracts could not be examined', { count: failed.length, ...example })
    for (const { accountId } of failed) await postponeContract(this.options.database.db, accountId)
  }

  /**
   * A DNS root that blocks touch is examined like any contract; this reads the zones of one that they do not
   * touch.
   */
  private async updateZones(): Promise<void> {
    if (performance.now() - this.zonesAt < ZONES_EVERY_MS) return
    this.zonesAt = performance.now()
    const found = await this.examiner.zones().catch((error: unknown) => {
      this.options.log.debug('DNS zones not known', { error })
      return undefined
    })
    if (found) await storeDnsZones(this.options.database.pool, found)
  }
}

function withoutState(one: QueuedContract, { address, part, lacking }: StateMissing): SetAside {
  const isOwn = sameAddress(one.address, address)
  const what = missingState(formatRawAddress(address), isOwn ? lacking : undefined)
  return { ...one, what, ...(isOwn ? { part } : { named: address }) }
}
