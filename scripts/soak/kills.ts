import { setTimeout as delay } from 'node:timers/promises'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import type { Pool } from 'pg'
import type { RunningStart } from '../../apps/ops/test/running-start.ts'
import type { Network } from './network.ts'

/** Each as often as it is here. A killed backend takes all others with it, and PostgreSQL recovers. */
const VICTIMS = [
  'ingest',
  'ingest',
  'ingest',
  'actions',
  'actions',
  'api',
  'api',
  'connection',
  'connection',
  'backend',
  'postgres',
  'network',
] as const
type Victim = (typeof VICTIMS)[number]

const LEAST_MS = 15_000
const MOST_MS = 60_000
/** For so long after a kill requests may be refused. */
const DISTURBED_MS = 30_000

export interface KillOptions {
  readonly run: RunningStart
  readonly dataDir: string
  readonly pool: Pool
  readonly network: Network
  readonly random: () => number
}

/** Kills one process or connection after the other, at random intervals. */
export class Kills {
  private readonly moments: number[] = []
  readonly counts = new Map<Victim, number>()
  /** Since `takeNames` was called. */
  private names: Victim[] = []

  constructor(private readonly options: KillOptions) {}

  async until(signal: AbortSignal): Promise<void> {
    const { random } = this.options
    for (;;) {
      await delay(LEAST_MS + random() * (MOST_MS - LEAST_MS), undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const victim = VICTIMS[Math.floor(random() * VICTIMS.length)]!
      this.moments.push(performance.now())
      this.names.push(victim)
      this.counts.set(victim, (this.counts.get(victim) ?? 0) + 1)
      await this.kill(victim).catch(() => {})
    }
  }

  /** Whether something was killed shortly before or during this time. Milliseconds of `performance.now()`. */
  isDisturbed(from: number, to: number): boolean {
    return this.moments.some((at) => from < at + DISTURBED_MS && to >= at)
  }

  takeNames(): readonly Victim[] {
    const { names } = this
    this.names = []
    return names
  }

  private async kill(victim: Victim): Promise<void> {
    const { run, dataDir, pool, network } = this.options
    if (victim === 'network') return network.dropConnections()
    if (victim === 'postgres') return endProcess((await findEmbeddedPostgres(dataDir))?.pid)
    if (victim === 'connection' || victim === 'backend') {
      const { rows } = await pool.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database()
           and backend_type = 'client backend' and pid <> pg_backend_pid()
         order by state = 'active' desc, query_start desc limit 1`,
      )
      if (victim === 'backend') return endProcess(rows[0]?.pid)
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      return
    }
    await run.kill(victim)
  }
}

function endProcess(pid: number | undefined): void {
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}
