import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { withDeadline } from '@shardwalk/concurrency'
import {
  countQuarantine,
  findGlobalId,
  findMasterchainTime,
  findProvedRange,
  isHeadFollowed,
  listIndexedRanges,
  listPartialRanges,
  listQuarantined,
  listQuarantineReasons,
  readDiskUse,
  readFullNodeReports,
  readIngestStatus,
  readLiteServers,
  readWatchState,
} from '@shardwalk/db'
import type { LiteServerPool } from '@shardwalk/liteserver'
import type { Range, Status } from '@shardwalk/pages'
import { COUNTED, readTableSizes, readWaitingWork } from '@shardwalk/queries'
import type { ApiServices } from '../services.ts'
import { Kept } from './kept.ts'
import { RateWatch } from './progress-rate.ts'
import { type LiteServerFaults, serversOf } from './status-servers.ts'

/** How long each part is reused. Milliseconds. */
const HEAD_MS = 900
const NODES_MS = 4_000
const WORK_MS = 10_000
const SIZES_MS = 60_000
/** A database that takes longer is reported as unreachable. Milliseconds. */
const DEADLINE_MS = 2500
const MAX_PROBLEMS = 20

export interface StatusSources {
  readonly services: ApiServices
  readonly network: string
  /** Undefined while there are none. */
  readonly pool: () => LiteServerPool | undefined
  /** Whether servers and sizes are shown. */
  readonly isFull: boolean
  readonly watching: () => number
  /** `DATA_DIR`; undefined: it is not known. */
  readonly dataDir: string | undefined
}

type Head = Awaited<ReturnType<StatusReader['readHead']>>

/** The state of the service. However many look, it is read once a second. */
export class StatusReader {
  private readonly rate = new RateWatch()
  private readonly head: Kept<Head>
  private readonly work: Kept<Pick<Status, 'waiting' | 'proved' | 'problems' | 'watched'>>
  private readonly fullNodes: Kept<Status['full_nodes']>
  private readonly sizes: Kept<Pick<Status, 'database' | 'disk'>>
  private ofIngest: LiteServerFaults = []
  private newest = { seqno: -1, since: 0 }
  private last: Status | undefined
  private delay: IntervalHistogram | undefined
  private pause = { at: 0, ms: 0 }

  constructor(private readonly sources: StatusSources) {
    this.head = new Kept(HEAD_MS, () => this.readHead())
    this.work = new Kept(WORK_MS, () => this.readWork())
    this.fullNodes = new Kept(NODES_MS, () => this.readFullNodes())
    this.sizes = new Kept(SIZES_MS, () => this.readSizes())
  }

  /** Never rejects: without a database it is the last known status, with the problem. */
  async read(): Promise<Status> {
    try {
      const reading = this.readDatabase()
      const facts = await withDeadline(reading, DEADLINE_MS, () => new Error('it does not answer'))
      this.last = { ...this.ofProcess(), ...facts, database_problem: null }
      return this.last
    } catch (error) {
      this.sources.services.log.debug('status not read', { error })
      const problem = 'PostgreSQL does not answer; what is shown below is what was last read'
      return { ...(this.last ?? this.unknown()), ...this.ofProcess(), database_problem: problem }
    }
  }

  private async readDatabase() {
    const head = await this.head.read()
    const [work, fullNodes] = [await this.work.read(), await this.fullNodes.read()]
    return { ...head, ...work, full_nodes: fullNodes, ...(await this.sizes.read()) }
  }

  private async readHead() {
    const { db } = this.sources.services
    const reported = await readIngestStatus(db)
    const indexed = await listIndexedRanges(db)
    const to = indexed.at(-1)?.to
    const gaps = reported ? gapsIn(indexed, { from: reported.first, to: reported.head }) : []
    const missing = reported ? lengthOf(gaps) : null
    const now = performance.now()
    if (to !== undefined && to !== this.newest.seqno) this.newest = { seqno: to, since: now }
    const rate = this.rate.add({ at: now, indexed: lengthOf(indexed), missing: missing ?? 0 })
    return {
      global_id: (await findGlobalId(db)) ?? null,
      head: reported ? { seqno: reported.head, followed: (await isHeadFollowed(db)) ?? null } : null,
      newest:
        to === undefined
          ? null
          : {
              seqno: to,
              utime: (await findMasterchainTime(db, to)) ?? null,
              unchanged_seconds: (now - this.newest.since) / 1000,
            },
      first: reported?.first ?? null,
      indexed,
      gaps,
      missing,
      rate: { blocks_per_second: rate.blocksPerSecond ?? null, seconds_left: rate.secondsLeft ?? null },
      quarantine: { ...(await countQuarantine(db)), ranges: await listQuarantined(db) },
    }
  }

  private async readWork(): Promise<Pick<Status, 'waiting' | 'proved' | 'problems' | 'watched'>> {
    const { db } = this.sources.services
    const proved = await findProvedRange(db)
    this.ofIngest = this.sources.isFull ? ((await readLiteServers(db)) ?? []) : []
    const items = (await readWatchState(db)).subjects.length
    const partial = await listPartialRanges(db)
    return {
      watched: items + partial.length > 0 ? { items, partial } : null,
      waiting: { ...(await readWaitingWork(db)), counted_to: COUNTED },
      proved: proved
        ? { seqno: proved.to, seconds_ago: (Date.now() - proved.provedAt.getTime()) / 1000 }
        : null,
      problems: this.sources.isFull ? await listQuarantineReasons(db, MAX_PROBLEMS) : null,
    }
  }

  private async readFullNodes(): Promise<Status['full_nodes']> {
    if (!this.sources.isFull) return null
    const reports = await readFullNodeReports(this.sources.services.db)
    return reports.map(({ id, ageSeconds, report }) => ({ id, seconds_ago: ageSeconds, ...report }))
  }

  private async readSizes(): Promise<Pick<Status, 'database' | 'disk'>> {
    const { isFull, services, dataDir } = this.sources
    if (!isFull) return { database: null, disk: null }
    const tables = await readTableSizes(services.db)
    const bytes = tables.reduce((sum, one) => sum + one.table_bytes + one.index_bytes, 0)
    return { database: { bytes, tables }, disk: await readDiskUse(services.db, dataDir) }
  }

  private ofProcess() {
    const { services, network, pool, isFull, watching } = this.sources
    const { perSecond, p50, p99 } = services.requests.read()
    return {
      at: Date.now(),
      version: services.version,
      network,
      profile: services.profile,
      servers: isFull ? serversOf(pool()?.servers() ?? [], this.ofIngest) : null,
      process: {
        uptime_seconds: Math.round(process.uptime()),
        memory_bytes: process.memoryUsage.rss(),
        event_loop_ms: this.longestPause(),
        requests_per_second: perSecond,
        p50_ms: p50 ?? null,
        p99_ms: p99 ?? null,
        watching: watching(),
      },
    }
  }

  /** The longest pause since the last look, at least a second. */
  private longestPause(): number {
    if (!this.delay) {
      this.delay = monitorEventLoopDelay({ resolution: 10 })
      this.delay.enable()
    }
    const now = performance.now()
    if (now - this.pause.at < HEAD_MS) return this.pause.ms
    // What it measures contains the interval of its own timer.
    this.pause = { at: now, ms: Math.max(0, Number.isFinite(this.delay.max) ? this.delay.max / 1e6 - 10 : 0) }
    this.delay.reset()
    return this.pause.ms
  }

  private unknown(): Omit<Status, 'database_problem' | keyof ReturnType<StatusReader['ofProcess']>> {
    return {
      global_id: null,
      head: null,
      newest: null,
      first: null,
      indexed: [],
      gaps: [],
      missing: null,
      rate: { blocks_per_second: null, seconds_left: null },
      proved: null,
      quarantine: null,
      watched: null,
      waiting: null,
      problems: null,
      full_nodes: null,
      database: null,
      disk: null,
    }
  }
}

const lengthOf = (ranges: readonly Range[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)

/** The parts of `wanted` that are not in `indexed`, ascending. */
function gapsIn(indexed: readonly Range[], wanted: Range): Range[] {
  const gaps: Range[] = []
  let next = wanted.from
  for (const { from, to } of indexed) {
    if (from > wanted.to) break
    if (from > next) gaps.push({ from: next, to: from - 1 })
    next = Math.max(next, to + 1)
  }
  if (next <= wanted.to) gaps.push({ from: next, to: wanted.to })
  return gaps
}
