import { setTimeout as delay } from 'node:timers/promises'
import { type Point, quantile } from '@shardwalk/testkit'
import type { Pool } from 'pg'
import type { RunningStart } from '../../apps/ops/test/running-start.ts'
import { type DatabaseState, readActivity, readDatabaseState, readProgress } from './database-state.ts'
import type { Kills } from './kills.ts'
import type { Load, Reply } from './load.ts'
import type { Network } from './network.ts'
import { listProcesses, ownMemory } from './processes.ts'

const LOOK_EVERY_MS = 1_000
const MINUTE_MS = 60_000
const NAMES = ['ingest', 'actions', 'api'] as const
export const MEASURED = [...NAMES, 'postgres'] as const
export type Measured = (typeof MEASURED)[number]

/** A minute. Memory, waits and connections are the most that was seen in it. */
export interface Row extends DatabaseState {
  readonly at: number
  /** Seconds. */
  readonly lag: number
  readonly medianLag: number
  readonly missing: number
  /** MB. */
  readonly memory: Readonly<Partial<Record<Measured, number>>>
  readonly p99: number
  readonly requests: number
  readonly refused: number
  readonly failed: readonly Reply[]
  readonly lockWaits: number
  readonly advisoryWaits: number
  readonly longestWait: number
  readonly connections: number
  /** Of one core. */
  readonly cpuPercent: number
  readonly kills: readonly string[]
}

export interface Observed {
  readonly run: RunningStart
  readonly pool: Pool
  readonly network: Network
  readonly load: Load
  readonly kills: Kills
  postgresPid(): Promise<number | undefined>
}

/** Looks every second, and makes a row of what it saw every minute. */
export class Observer {
  readonly rows: Row[] = []
  /** By process and its id, in the order of their starts. MB. */
  readonly memories = new Map<string, Point[]>()
  private lags: number[] = []
  private most = { lockWaits: 0, advisoryWaits: 0, longestWait: 0, connections: 0 }
  private memory: Partial<Record<Measured, number>> = {}
  private postmaster: number | undefined
  private cpu = new Map<number, number>()
  private cpuSeconds = 0

  constructor(
    private readonly observed: Observed,
    private readonly onRow: (row: Row) => void,
  ) {}

  async until(signal: AbortSignal): Promise<void> {
    let rowAt = performance.now()
    this.postmaster = await this.observed.postgresPid()
    while (!signal.aborted) {
      // While PostgreSQL is away nothing is seen; what it missed shows in the lag.
      await this.look().catch(() => {})
      if (performance.now() - rowAt >= MINUTE_MS && (await this.row(performance.now() - rowAt)))
        rowAt = performance.now()
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  private async look(): Promise<void> {
    const { pool, network } = this.observed
    this.lookAtProcesses()
    const { newest } = await readProgress(pool)
    this.lags.push(network.lagAfter(newest))
    const activity = await readActivity(pool)
    for (const name of ['lockWaits', 'advisoryWaits', 'longestWait', 'connections'] as const)
      this.most[name] = Math.max(this.most[name], activity[name])
  }

  private lookAtProcesses(): void {
    const { run } = this.observed
    const all = listProcesses()
    const own = new Map(NAMES.map((name) => [run.pids.get(name), name] as const))
    const servers = all.filter(({ pid, parent }) => [pid, parent].includes(this.postmaster ?? -1))
    for (const [pid, name] of own) if (pid !== undefined) this.note(name, pid, ownMemory(pid))
    if (servers.length > 0)
      this.note(
        'postgres',
        this.postmaster!,
        servers.reduce((sum, { pid }) => sum + (ownMemory(pid) ?? 0), 0),
      )
    for (const { pid, cpuSeconds } of all) {
      if (!own.has(pid) && pid !== process.pid && !servers.some((server) => server.pid === pid)) continue
      this.cpuSeconds += cpuSeconds - (this.cpu.get(pid) ?? (pid === process.pid ? cpuSeconds : 0))
      this.cpu.set(pid, cpuSeconds)
    }
  }

  private note(name: Measured, pid: number, memory: number | undefined): void {
    if (memory === undefined) return
    this.memory[name] = Math.max(this.memory[name] ?? 0, memory)
    const key = `${name} ${pid}`
    const points = this.memories.get(key) ?? []
    points.push({ at: performance.now(), value: memory })
    this.memories.set(key, points)
  }

  /** False if PostgreSQL is away. */
  private async row(ms: number): Promise<boolean> {
    const { pool, network, load, kills, postgresPid } = this.observed
    const state = await readDatabaseState(pool).catch(() => undefined)
    const progress = state && (await readProgress(pool).catch(() => undefined))
    this.postmaster = await postgresPid()
    if (!state || !progress) return false
    const replies = load.takeReplies()
    const wrong = replies.filter(({ status }) => status === 0 || status >= 500)
    const isExcused = ({ from, to, status }: Reply) => isRefusal(status) && kills.isDisturbed(from, to)
    const row: Row = {
      ...state,
      ...this.most,
      at: performance.now(),
      lag: Math.max(0, ...this.lags),
      medianLag: quantile(this.lags, 0.5),
      missing: network.headSeqno - progress.indexed,
      memory: this.memory,
      p99: quantile(
        replies.filter(({ status }) => status > 0).map(({ from, to }) => to - from),
        0.99,
      ),
      requests: replies.length,
      refused: wrong.filter(isExcused).length,
      failed: wrong.filter((reply) => !isExcused(reply)),
      cpuPercent: (this.cpuSeconds / ms) * 100_000,
      kills: kills.takeNames(),
    }
    this.lags = []
    this.most = { lockWaits: 0, advisoryWaits: 0, longestWait: 0, connections: 0 }
    this.memory = {}
    this.cpuSeconds = 0
    this.rows.push(row)
    this.onRow(row)
    return true
  }
}

/** No answer, or one that says that it cannot be given now. */
const isRefusal = (status: number): boolean => [0, 502, 503, 504].includes(status)
