import { WATCH_KIND } from '@shardwalk/tables'
import type pg from 'pg'
import { lock } from '../writing/locks.ts'
import { type Numbering, withNumbering } from '../writing/numbering.ts'
import { EVERYTHING, subjectText, type WatchSubject } from './subjects.ts'

/** Subjects that a change of `WATCH` adds and removes. */
export interface WatchChange {
  /** Blocks indexed before contain little or nothing about these. */
  readonly added: readonly string[]
  /** Traces that concern only these will be deleted. */
  readonly removed: readonly string[]
}

const NONE: WatchChange = { added: [], removed: [] }

/**
 * Makes `wanted` what is watched; empty: everything. Blocks indexed before are recorded as partial for what
 * is added; if less is watched than before, every stored trace is queued for a decision. One transaction;
 * applied twice it changes nothing.
 */
export async function applyWatch(pool: pg.Pool, wanted: readonly WatchSubject[]): Promise<WatchChange> {
  if (wanted.length === 0 && !(await isWatching(pool))) return NONE
  return withNumbering(pool, async (client, numbering) => {
    // The lock keeps decisions away, and the other one commits, which ask whether anything is watched.
    const rows = await toRows(wanted, numbering)
    await lock(client, 'traces')
    await lock(client, 'ranges')
    const { rows: old } = await client.query<{ subject: string; is_current: boolean }>(
      'select subject, is_current from watched',
    )
    const stored = { current: subjects(old, true), former: subjects(old, false) }
    return rows.length === 0 ? watchNothing(client, stored) : watch(client, rows, stored)
  })
}

/** Whether anything is watched; if not, everything is indexed. */
export const isWatching = async (client: Pick<pg.ClientBase, 'query'>): Promise<boolean> =>
  (await client.query('select from watched where is_current limit 1')).rowCount === 1

type WatchedRow = readonly [subject: string, kind: number, accountId: bigint | null, codeHash: Buffer | null]

async function toRows(wanted: readonly WatchSubject[], { idOf, insert }: Numbering): Promise<WatchedRow[]> {
  const rows = wanted.map((one): WatchedRow => {
    const kind = WATCH_KIND.indexOf(one.kind)
    return one.kind === 'code'
      ? [subjectText(one), kind, null, one.hash]
      : [subjectText(one), kind, idOf(one.address), null]
  })
  await insert()
  return [...new Map(rows.map((row) => [row[0], row])).values()]
}

interface Stored {
  readonly current: ReadonlySet<string>
  /** Watched until `WATCH` was unset. */
  readonly former: ReadonlySet<string>
}

const subjects = (rows: readonly { subject: string; is_current: boolean }[], isCurrent: boolean) =>
  new Set(rows.filter((row) => row.is_current === isCurrent).map(({ subject }) => subject))

/** Everything is wanted. The former subjects stay, because nothing about them is forgotten from now on. */
async function watchNothing(client: pg.ClientBase, { current }: Stored): Promise<WatchChange> {
  if (current.size === 0) return NONE
  await client.query('update watched set is_current = false')
  await client.query('delete from undecided_traces')
  await client.query('delete from watch_pass')
  await addPartial(client, [EVERYTHING], INDEXED)
  return { added: [EVERYTHING], removed: [] }
}

async function watch(
  client: pg.ClientBase,
  rows: readonly WatchedRow[],
  { current, former }: Stored,
): Promise<WatchChange> {
  const wanted = rows.map(([subject]) => subject)
  const wasEverything = current.size === 0
  const added = wanted.filter((subject) => !current.has(subject))
  const removed = wasEverything ? [EVERYTHING] : [...current].filter((subject) => !wanted.includes(subject))
  if (wasEverything) {
    const unknown = added.filter((subject) => !former.has(subject))
    await addPartial(client, unknown, PARTIAL)
  } else await addPartial(client, added, INDEXED)
  for (const table of ['partial_ranges', 'watched'])
    await client.query(`delete from ${table} where subject <> all ($1::text[])`, [wanted])
  await client.query(
    `insert into watched (subject, kind, account_id, code_hash, is_current)
     select *, true from unnest($1::text[], $2::int2[], $3::int8[], $4::bytea[])
     on conflict (subject) do update set is_current = true`,
    [wanted, rows.map((row) => row[1]), rows.map((row) => row[2]), rows.map((row) => row[3])],
  )
  if (removed.length > 0)
    await client.query(
      'insert into watch_pass (id, next_page) values (1, 0) on conflict (id) do update set next_page = 0',
    )
  return { added: wasEverything ? [] : added, removed }
}

const INDEXED = 'select from_seqno, to_seqno from indexed_ranges'
const PARTIAL = `select from_seqno, to_seqno from partial_ranges where subject = '${EVERYTHING}'`

async function addPartial(
  client: pg.ClientBase,
  names: readonly string[],
  ranges: typeof INDEXED | typeof PARTIAL,
): Promise<void> {
  await client.query(
    `insert into partial_ranges (subject, from_seqno, to_seqno)
     select s, r.from_seqno, r.to_seqno from unnest($1::text[]) s cross join (${ranges}) r`,
    [names],
  )
}
