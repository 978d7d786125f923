import type { Lt, McBlockSeqno } from '@shardwalk/model'
import { ARCHIVE_STATE } from '@shardwalk/tables'
import type pg from 'pg'
import { TABLES_RUN } from '../queries/database-run.ts'
import type { EncodedBatch } from '../rows/encode-batch.ts'
import { greatest, least } from '../rows/lt.ts'
import { KNOWN_MIGRATIONS, MIGRATION_TABLE, refuseMigrated } from '../schema-version.ts'
import { enqueueBlockEvents } from '../webhooks/enqueue.ts'
import { queryKept } from '../writing/kept-plans.ts'
import { seqnosOf } from './ranges-of-batches.ts'

/** Channel of NOTIFY; the payload is the greatest masterchain seqno that was written. */
export const INDEXED_CHANNEL = 'shardwalk_indexed'

/**
 * Look-ups no longer rely on the filters of partitions with these rows. Under the lock `ranges`,
 * until the commit. $3, $4: first and last lt of ranges. They may touch an archived partition, to which
 * nothing can be written until it has returned.
 */
const NOTE_WRITTEN = `
  update hash_filters f set is_complete = false, written_at = now()
  from unnest($3::int8[], $4::int8[]) r(from_lt, to_lt)
  where f.from_lt <= r.to_lt and f.to_lt > r.from_lt and (f.is_complete or f.written_at is null)
    and not exists (select from archived_partitions a
      where a.from_lt = f.from_lt and a.state <> ${ARCHIVE_STATE.indexOf('returned')})`

/** Whom the rows of a batch concern besides those who read them. */
export interface Concerned {
  /** Blocks after this one have events for webhooks; null: there are no webhooks. */
  readonly after: McBlockSeqno | null
  /** Only some accounts are kept (`WATCH`), so it is still to be decided which traces are. */
  readonly watching: boolean
  /** See `TABLES_RUN`. */
  readonly tables: string
}

/**
 * Notes which partitions were written, and notifies listeners. `orphanLts`: of messages that were written
 * outside the ranges of the batches. One round trip for all, because most installations have no webhooks and
 * keep everything. Throws `SchemaTooNew` and `SchemaTooOld`.
 */
export async function announce(
  client: pg.ClientBase,
  batches: readonly EncodedBatch[],
  orphanLts: readonly Lt[],
): Promise<Concerned> {
  const written = [
    ...batches.flatMap(({ ltRange }) => ltRange ?? []),
    ...orphanLts.map((lt) => ({ from: lt, to: lt })),
  ]
  const { rows } = await queryKept<Concerned & { migrations: number }>(
    client,
    `with written as (${NOTE_WRITTEN})
     select pg_notify($1, $2), (select min(after_seqno) from webhooks) as after,
       exists (select from watched where is_current) as watching,
       ${TABLES_RUN} as tables,
       (select count(*)::int from ${MIGRATION_TABLE}) as migrations`,
    [
      ...[INDEXED_CHANNEL, String(Math.max(...seqnosOf(batches)))],
      ...[written.map(({ from }) => from), written.map(({ to }) => to)],
    ],
  )
  const { migrations, ...concerned } = rows[0]!
  if (migrations !== KNOWN_MIGRATIONS) await refuseMigrated(client)
  return concerned
}

/** Queues what the blocks after `after` have for webhooks. */
export async function enqueueEvents(
  client: pg.ClientBase,
  batches: readonly EncodedBatch[],
  { after, isRepair }: { readonly after: McBlockSeqno; readonly isRepair: boolean },
): Promise<void> {
  const later = batches.filter(({ mcBlockSeqno }) => mcBlockSeqno > after)
  const ranges = later.flatMap(({ ltRange }) => ltRange ?? [])
  if (ranges.length === 0) return
  await enqueueBlockEvents(client, {
    seqnos: seqnosOf(later),
    from: ranges.map(({ from }) => from).reduce(least),
    to: ranges.map(({ to }) => to).reduce(greatest),
    isRepair,
  })
}
