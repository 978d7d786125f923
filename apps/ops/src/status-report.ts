import {
  type AirdropCounts,
  countAirdrops,
  countMissingStates,
  countRefreshQueue,
  type DatabaseHandle,
  type DatabaseStatus,
  type Db,
  type DiskUse,
  type FullNodesJson,
  findProvedRange,
  hasTables,
  type IngestStatus,
  isHeadFollowed,
  listWebhooks,
  type MetadataQueueState,
  metadataFetcherAge,
  type QuarantineCounts,
  readClassifierQueue,
  readDiskUse,
  readFullNodeReports,
  readIngestStatus,
  readLiteServers,
  readMetadataQueue,
  readRetainedFrom,
  readStatus,
  readWatchState,
  type WatchState,
  type WebhookStatus,
} from '@shardwalk/db'
import { JobQueue, QUEUE_SCHEMA, type QueueStore } from '@shardwalk/queue'
import { messageOf } from './outcome.ts'

/** The JSON of `status`. Seqnos are those of masterchain blocks; unknown facts are null. */
export interface StatusReport {
  readonly network: string
  readonly global_id: number | null
  /** `followed`: whether a process follows it now; null if unknown. */
  readonly head: {
    readonly seqno: number
    readonly changed_seconds_ago: number
    readonly followed: boolean | null
  } | null
  readonly newest: { readonly seqno: number; readonly utime: number | null } | null
  readonly indexed: readonly { readonly from: number; readonly to: number }[]
  readonly proved: { readonly from: number; readonly to: number; readonly at: string } | null
  /** First masterchain block that `RETENTION` keeps; null: it keeps all, or that is not known yet. */
  readonly retained_from: number | null
  /** What `WATCH` names, and what of it is not complete; null: everything is indexed. */
  readonly watch: WatchState | null
  /** Number of requested blocks that are not indexed. */
  readonly missing: number | null
  /** What could not be decoded or stored. */
  readonly quarantined: QuarantineCounts
  /** What processes know of full nodes; empty: none takes blocks from them. */
  readonly full_nodes: readonly (FullNodesJson & { readonly id: string; readonly seconds_ago: number })[]
  readonly contracts: { readonly waiting: number; readonly impossible: number }
  /** Numbers of traces; `oldest_seconds` is the age of the oldest waiting one. */
  readonly actions: Readonly<
    Record<'waiting' | 'waiting_for_contracts' | 'oldest_seconds' | 'changed_accounts' | 'failed', number>
  >
  /** PostgreSQL's estimates. */
  readonly estimated_rows: Readonly<Record<'transactions' | 'messages' | 'accounts', number>>
  readonly size_bytes: number
  readonly queue:
    | Readonly<Record<'running' | 'waiting' | 'delayed' | 'failed', number>>
    | { readonly error: string }
  /** `fetcher_seconds_ago` is null if nothing was ever fetched. Queues are counted up to `COUNTED_TASKS`. */
  readonly metadata: {
    readonly fetcher_seconds_ago: number | null
    readonly tasks: readonly MetadataTasks[]
    /** Lists of mintless jetton owners. */
    readonly airdrops: AirdropCounts
  }
  readonly webhooks: readonly WebhookBacklog[]
  /** Lite servers of ingest, with their faults of five minutes; null: it does not run, or has none. */
  readonly lite_servers: Awaited<ReturnType<typeof readLiteServers>> | null
  readonly disk: DiskUse
}

/** `state`: `given_up` until the operator retries; `suspended`: later events are not kept until then. */
interface WebhookBacklog {
  readonly id: number
  readonly state: 'fine' | 'failing' | 'dead_letters' | 'given_up' | 'suspended'
  readonly waiting: number
  /** Events that were given up. */
  readonly dead_letters: number
  readonly oldest_seconds: number
  readonly failing_since: string | null
  readonly fault: string | null
}

type MetadataTasks = Pick<MetadataQueueState, 'type' | 'waiting' | 'due' | 'failed'>

/** Most tasks of a queue that are counted; more are reported as at least so many. */
export const COUNTED_TASKS = 100_000

/** What `shardwalk status` prints. Starts nothing and writes nothing. */
export async function readStatusReport(
  { db, pool }: DatabaseHandle,
  around: {
    readonly network: string
    readonly dataDir: string
    readonly queueStore: { redisUrl: string } | { databaseUrl: string }
  },
): Promise<StatusReport> {
  const status = await readStatus(db)
  return {
    network: around.network,
    global_id: status.network?.globalId ?? null,
    ...(await readIndexed(db, status)),
    full_nodes: (await readFullNodeReports(db)).map(({ id, ageSeconds, report }) => ({
      id,
      seconds_ago: Math.round(ageSeconds),
      ...report,
    })),
    contracts: { waiting: (await countRefreshQueue(db)).accounts, impossible: await countMissingStates(db) },
    actions: actionsOf(await readClassifierQueue(pool)),
    estimated_rows: status.estimatedRows,
    size_bytes: Number(status.sizeBytes),
    queue: await countJobs(db, around.queueStore, status.network?.rootHash),
    metadata: await readMetadata(db),
    webhooks: (await listWebhooks(db)).map(webhookBacklog),
    lite_servers: (await readLiteServers(db)) ?? null,
    disk: await readDiskUse(db, around.dataDir),
  }
}

type Indexed = Pick<
  StatusReport,
  'head' | 'newest' | 'indexed' | 'proved' | 'retained_from' | 'watch' | 'missing' | 'quarantined'
>

async function readIndexed(db: Db, { ranges, headUtime, quarantined }: DatabaseStatus): Promise<Indexed> {
  const reported = await readIngestStatus(db)
  const proved = await findProvedRange(db)
  const newest = ranges.at(-1)
  return {
    head: reported
      ? {
          seqno: reported.head,
          changed_seconds_ago: Math.round(reported.ageSeconds),
          followed: (await isHeadFollowed(db)) ?? null,
        }
      : null,
    newest: newest ? { seqno: newest.to, utime: headUtime ?? null } : null,
    indexed: ranges.map(({ from, to }) => ({ from, to })),
    proved: proved ? { from: proved.from, to: proved.to, at: proved.provedAt.toISOString() } : null,
    retained_from: (await readRetainedFrom(db)) ?? null,
    watch: watchOf(await readWatchState(db)),
    missing: reported ? missingOf(ranges, reported) : null,
    quarantined,
  }
}

const actionsOf = (queue: Awaited<ReturnType<typeof readClassifierQueue>>): StatusReport['actions'] => ({
  waiting: queue.waiting,
  waiting_for_contracts: queue.waitingForContracts,
  oldest_seconds: Math.round(queue.oldestSeconds),
  changed_accounts: queue.changedAccounts,
  failed: queue.failed,
})

async function readMetadata(db: Db): Promise<StatusReport['metadata']> {
  const age = await metadataFetcherAge(db)
  return {
    fetcher_seconds_ago: age === undefined ? null : Math.round(age),
    tasks: age === undefined ? [] : (await readMetadataQueue(db, COUNTED_TASKS)).map(metadataTasks),
    airdrops: await countAirdrops(db),
  }
}

const watchOf = (watch: WatchState): WatchState | null =>
  watch.subjects.length + watch.partial.length + watch.undecided === 0 ? null : watch

const webhookBacklog = (webhook: WebhookStatus): WebhookBacklog => ({
  id: webhook.id,
  state: webhookState(webhook),
  waiting: webhook.waiting,
  dead_letters: webhook.dead,
  oldest_seconds: Math.round(webhook.oldestSeconds),
  failing_since: webhook.failingSince?.toISOString() ?? null,
  fault: webhook.fault ?? webhook.lastDead?.fault ?? null,
})

/** The most serious of the states that apply. */
export function webhookState(webhook: WebhookStatus): WebhookBacklog['state'] {
  if (webhook.fullSeqno !== undefined) return 'suspended'
  if (webhook.givenUpAt) return 'given_up'
  if (webhook.failures > 0) return 'failing'
  return webhook.dead > 0 ? 'dead_letters' : 'fine'
}

const metadataTasks = ({ type, waiting, due, failed }: MetadataQueueState): MetadataTasks => ({
  type,
  waiting,
  due,
  failed,
})

async function countJobs(
  db: Db,
  store: QueueStore,
  network: Buffer | undefined,
): Promise<StatusReport['queue']> {
  // Before the first ingest there is no queue; opening one in PostgreSQL would create its tables.
  if (!network || ('databaseUrl' in store && !(await hasTables(db, QUEUE_SCHEMA))))
    return { running: 0, waiting: 0, delayed: 0, failed: 0 }
  try {
    const queue = await JobQueue.open({ store, network })
    try {
      const jobs = [...(await queue.outstanding('head')), ...(await queue.outstanding('backfill'))]
      const count = (state: string) => jobs.filter((job) => job.state === state).length
      return {
        running: count('active'),
        waiting: count('waiting'),
        delayed: count('delayed'),
        failed: count('failed'),
      }
    } finally {
      await queue.close()
    }
  } catch (error) {
    return { error: messageOf(error) }
  }
}

function missingOf(ranges: StatusReport['indexed'], { head, first }: IngestStatus): number {
  const indexed = ranges.reduce(
    (sum, range) => sum + Math.max(0, Math.min(range.to, head) - Math.max(range.from, first) + 1),
    0,
  )
  return head - first + 1 - indexed
}
