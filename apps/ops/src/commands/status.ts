import {
  type ClassifierQueueState,
  countMissingStates,
  countRefreshQueue,
  type DatabaseHandle,
  type DatabaseStatus,
  type Db,
  findProvedRange,
  type MetadataQueueState,
  metadataFetcherAge,
  type ProvedRange,
  readClassifierQueue,
  readMetadataQueue,
  readStatus,
} from '@shardwalk/db'
import { EXIT } from '@shardwalk/observability'
import { JobQueue } from '@shardwalk/queue'
import { sql } from 'kysely'
import { joinDatabase, migrateDatabase, withDb } from '../database.ts'
import { messageOf } from '../outcome.ts'
import type { Command } from './index.ts'

interface ReportedHead {
  readonly head: number
  readonly first: number
  readonly ageSeconds: number
}

export const statusCommand: Command = {
  help: 'What is indexed, what is missing, how large it is. JSON with LOG_FORMAT=json.',
  async run(context) {
    const database = await joinDatabase(context)
    try {
      await migrateDatabase(database.url)
      const facts = await withDb(database.url, readFacts)
      const { redisUrl } = context.settings
      const queue = await describeQueue(redisUrl ? { redisUrl } : { databaseUrl: database.url })
      const lines = linesOf(context.settings.network, { ...facts, queue })
      if (context.settings.logFormat === 'json') console.log(JSON.stringify(lines))
      else for (const [name, value] of Object.entries(lines)) console.log(`${name.padEnd(14)} ${value}`)
      return EXIT.done
    } finally {
      await database.stop()
    }
  },
}

interface Facts {
  readonly status: DatabaseStatus
  readonly reported: ReportedHead | undefined
  readonly proved: ProvedRange | undefined
  readonly contracts: string
  readonly metadata: string
  readonly actions: string
}

const readFacts = async ({ db, pool }: DatabaseHandle): Promise<Facts> => ({
  status: await readStatus(db),
  reported: await readReportedHead(db),
  proved: await findProvedRange(db),
  contracts: describeContracts((await countRefreshQueue(db)).accounts, await countMissingStates(db)),
  metadata: describeMetadata(await readMetadataQueue(db, COUNTED_TASKS), await metadataFetcherAge(db)),
  actions: describeActions(await readClassifierQueue(pool)),
})

function describeActions({
  waiting,
  waitingForContracts,
  oldestSeconds,
  changedAccounts,
  failed,
}: ClassifierQueueState) {
  const changed = changedAccounts === 0 ? '' : `; traces of ${changedAccounts} changed contracts are still to be queued`
  const failures = failed === 0 ? '' : `; ${failed} have basic actions only (table classification_failures)`
  if (waiting === 0) return `no trace waits${changed}${failures}`
  const why = `${waitingForContracts} of them for contracts to be examined`
  return `${waiting} traces wait, ${why}, the first for ${Math.round(oldestSeconds)} s${changed}${failures}`
}

const describeContracts = (waiting: number, missing: number): string =>
  `${waiting} wait to be examined${missing === 0 ? '' : `; ${missing} cannot be (table missing_states)`}`

/** Longer queues are counted up to here. */
const COUNTED_TASKS = 100_000

/** A fetcher says every minute that it is there. */
function describeMetadata(queue: readonly MetadataQueueState[], fetcherAge: number | undefined): string {
  if (fetcherAge === undefined) return 'never fetched; METADATA_FETCH switches it on'
  const waiting = queue.map((one) => `${one.waiting} ${one.type.replace('_', ' ')}`).join(', ')
  const sum = (key: 'waiting' | 'due' | 'failed') => queue.reduce((total, one) => total + one[key], 0)
  const more = sum('waiting') >= COUNTED_TASKS ? 'or more ' : ''
  return `${waiting} ${more}wait (${sum('due')} due, ${sum('failed')} failed before); fetcher seen ${Math.round(fetcherAge)} s ago`
}

async function readReportedHead(db: Db): Promise<ReportedHead | undefined> {
  const { rows } = await sql<ReportedHead>`
    select head_seqno as head, first_seqno as first, extract(epoch from now() - reported_at)::float8 as "ageSeconds"
    from ingest_status`.execute(db)
  return rows[0]
}

async function describeQueue(store: { redisUrl: string } | { databaseUrl: string }): Promise<string> {
  try {
    const queue = await JobQueue.open({ store })
    try {
      const jobs = [...(await queue.outstanding('head')), ...(await queue.outstanding('backfill'))]
      const count = (state: string) => jobs.filter((job) => job.state === state).length
      return `${count('active')} running, ${count('waiting')} waiting, ${count('delayed')} to be retried, ${count('failed')} failed`
    } finally {
      await queue.close()
    }
  } catch (error) {
    return `not reachable: ${messageOf(error)}`
  }
}

function linesOf(
  network: string,
  { status, reported, proved, contracts, metadata, actions, queue }: Facts & { readonly queue: string },
): Record<string, string> {
  const last = status.ranges.at(-1)
  const age = status.headUtime === undefined ? '' : ` of ${new Date(status.headUtime * 1000).toISOString()}`
  return {
    network: `${network}${status.network?.globalId == null ? '' : ` (global id ${status.network.globalId})`}`,
    head: reported
      ? `${reported.head}, reported ${Math.round(reported.ageSeconds)} s ago`
      : 'not reported by ingest yet',
    newest: last ? `${last.to}${age}` : 'nothing is indexed',
    indexed: status.ranges.map(({ from, to }) => `${from}-${to}`).join(', ') || 'nothing',
    proved: proved ? `${proved.from}-${proved.to}, at ${proved.provedAt.toISOString()}` : 'nothing',
    missing: reported ? String(missingOf(status, reported)) : 'unknown',
    quarantined: String(status.quarantined),
    contracts,
    actions,
    transactions: `about ${status.estimatedRows.transactions}`,
    messages: `about ${status.estimatedRows.messages}`,
    accounts: `about ${status.estimatedRows.accounts}`,
    size: `${(Number(status.sizeBytes) / 1e6).toFixed(0)} MB`,
    queue,
    metadata,
  }
}

/** Wanted seqnos that are not indexed. */
function missingOf({ ranges }: DatabaseStatus, { head, first }: ReportedHead): number {
  const indexed = ranges.reduce(
    (sum, range) => sum + Math.max(0, Math.min(range.to, head) - Math.max(range.from, first) + 1),
    0,
  )
  return head - first + 1 - indexed
}
