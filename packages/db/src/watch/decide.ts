import { COMPLETE_TRACE, WATCH_KIND } from '@shardwalk/tables'
import type { PieceId } from '@shardwalk/traces'
import type pg from 'pg'
import { LOCK_KEYS } from '../writing/locks.ts'
import { inTransaction } from '../writing/transaction.ts'
import { forgetTraces, gatherMembers } from './forget.ts'

/** Time until a trace that could not be decided is examined again, doubled each time. Seconds. */
const AGAIN_S = { first: 2, most: 600 } as const
/** Pages of `traces` that are queued at once. */
const PAGES = 500

/** What a pass over complete traces did. */
export interface Decisions {
  /** Number of traces examined, postponed ones included. */
  readonly looked: number
  readonly kept: number
  readonly forgotten: number
  /** Number of traces postponed because contracts in them have not been examined yet. */
  readonly waiting: number
}

/**
 * Decides on up to `limit` complete traces: forgets those that concern nothing that is watched. Those on an
 * archive server are kept. A trace with blocks that lack what is watched now is decided when these are
 * indexed again. May run in any number of processes at once and be interrupted at any time.
 */
export const decideTraces = (pool: pg.Pool, { limit }: { readonly limit: number }): Promise<Decisions> =>
  inTransaction(
    pool,
    async (client) => {
      // Repairs and changes of `WATCH` take this lock for themselves.
      await client.query(`select pg_advisory_xact_lock_shared(${LOCK_KEYS.traces}, 0)`)
      const looked = await claim(client, limit)
      if (looked.length === 0) return { looked: 0, kept: 0, forgotten: 0, waiting: 0 }
      const archived = await keepArchived(client, looked)
      const claimed = looked.filter((piece) => !archived.has(piece))
      await gatherMembers(client, claimed, `r.state = ${COMPLETE_TRACE}`)
      const { complete, wanted, waiting, spared } = await readVerdicts(client)
      const undecided = complete.filter((root) => !wanted.has(root) && !spared.has(root))
      const later = undecided.filter((root) => waiting.has(root))
      const forgotten = undecided.filter((root) => !waiting.has(root))
      await forgetTraces(client, forgotten)
      await client.query(
        `update undecided_traces set looks = looks + 1,
           due_at = now() + make_interval(secs => least(${AGAIN_S.most},
             ${AGAIN_S.first} * power(2, least(looks, 10))))
         where piece = any ($1::int8[])`,
        [later],
      )
      await client.query(
        'delete from undecided_traces where piece = any ($1::int8[]) and piece <> all ($2::int8[])',
        [claimed, later],
      )
      const kept = wanted.size + archived.size
      return { looked: looked.length, kept, forgotten: forgotten.length, waiting: later.length }
    },
    // A crash of the server undoes whole decisions, which are then made again.
    { durable: false },
  )

/** Index: undecided_traces_due_at. */
async function claim(client: pg.ClientBase, limit: number): Promise<PieceId[]> {
  const { rows } = await client.query<{ piece: PieceId }>(
    `select piece from undecided_traces where due_at <= now() order by due_at limit $1
     for update skip locked`,
    [limit],
  )
  return rows.map(({ piece }) => piece)
}

/** Everything before it is on an archive server or on its way, where nothing can be deleted. */
const END_OF_ARCHIVE = '(select coalesce(max(to_lt), 0) from archived_partitions)'

/** Traces that begin there are not decided any more. Returns them. */
async function keepArchived(
  client: pg.ClientBase,
  claimed: readonly PieceId[],
): Promise<ReadonlySet<PieceId>> {
  const { rows } = await client.query<{ piece: PieceId }>(
    `delete from undecided_traces u using traces r
     where u.piece = any ($1::int8[]) and r.piece = u.piece and r.start_lt < ${END_OF_ARCHIVE}
     returning u.piece`,
    [claimed],
  )
  return new Set(rows.map(({ piece }) => piece))
}

interface Verdicts {
  readonly complete: readonly PieceId[]
  readonly wanted: ReadonlySet<PieceId>
  /** Some of their contracts have not been examined yet. */
  readonly waiting: ReadonlySet<PieceId>
  /**
   * Traces of blocks that lack a part of what is watched, or whose first message is archived: not decided
   * now.
   */
  readonly spared: ReadonlySet<PieceId>
}

async function readVerdicts(client: pg.ClientBase): Promise<Verdicts> {
  const rootsOf = async (statement: string) =>
    (await client.query<{ root: PieceId }>(statement)).rows.map(({ root }) => root)
  const complete = await rootsOf('select distinct root from members')
  // First: what is examined in the meantime counts below.
  const waiting = new Set(await rootsOf(WAITING))
  return {
    complete,
    waiting,
    wanted: new Set(await rootsOf(WANTED)),
    spared: new Set(
      await rootsOf(
        `select distinct root from members m
         join partial_ranges p on m.mc_block_seqno between p.from_seqno and p.to_seqno
         union select root from members where in_msg_lt < ${END_OF_ARCHIVE}`,
      ),
    ),
  }
}

const named = (column: 'account_id' | 'code_hash', ...kinds: readonly (typeof WATCH_KIND)[number][]) =>
  `(select ${column} from watched where is_current and kind in (${kinds
    .map((kind) => WATCH_KIND.indexOf(kind))
    .join(', ')}))`

/** The block shows the code after the account's last transaction in it. */
const CODE = `coalesce(m.code_hash_after, (
  select x.code_hash_after from transactions x
  where x.account_id = m.account_id and x.lt > m.lt and x.mc_block_seqno = m.mc_block_seqno
    and x.block_seqno = m.block_seqno and x.code_hash_after is not null order by x.lt limit 1))`

/** Indexes: primary keys, contract_claims_account. */
const WANTED = `
  select distinct m.root from members m
  where m.account_id in ${named('account_id', 'address', 'jetton')}
    or ${CODE} in ${named('code_hash', 'code')}
    or exists (select from jetton_wallets w where w.account_id = m.account_id
      and (w.jetton_id in ${named('account_id', 'jetton')}
        or w.owner_id in ${named('account_id', 'address')}))
    or exists (select from former_contracts f where f.account_id = m.account_id
      and (f.jetton_id in ${named('account_id', 'jetton')}
        or f.wallet_owner_id in ${named('account_id', 'address')}))
    or exists (select from contract_claims c where c.account_id = m.account_id
      and c.named_id in ${named('account_id', 'jetton')})
    or exists (select from jetton_transfers e where e.account_id = m.account_id and e.lt = m.lt
      and e.destination_id in ${named('account_id', 'address')})
    or exists (select from nft_transfers e where e.account_id = m.account_id and e.lt = m.lt
      and e.new_owner_id in ${named('account_id', 'address')})`

/** Token events are derived from transactions, and contracts examined with them; both must come first. */
const WAITING = `
  select distinct m.root from members m
  where exists (select from event_queue q where q.mc_seqno = m.mc_block_seqno)
    or exists (select from refresh_queue q where q.account_id = m.account_id)
    or exists (select from missing_states q where q.account_id = m.account_id)
      and exists (select ${named('account_id', 'address', 'jetton')} limit 1)`

/**
 * Queues complete traces of batches that were just written. `joined`: those that other batches have parts of.
 * Index: traces_mc_seqno_end.
 */
export async function enqueueUndecided(
  client: pg.ClientBase,
  seqnos: readonly number[],
  joined: readonly PieceId[],
): Promise<void> {
  await client.query(
    `insert into undecided_traces (piece)
     select piece from traces where state = ${COMPLETE_TRACE} and mc_seqno_end = any ($1::int[])
     union select unnest($2::int8[]) order by 1
     on conflict (piece) do update set due_at = now(), looks = 0`,
    [seqnos, joined],
  )
}

/** Queues every stored trace, some pages at a time, after less is watched. False: nothing was left to do. */
export const queueStoredTraces = (pool: pg.Pool): Promise<boolean> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ page: bigint; pages: bigint }>(
      `select next_page as page,
         pg_relation_size('traces') / current_setting('block_size')::int8 as pages
       from watch_pass for update`,
    )
    const [at] = rows
    if (!at) return false
    const to = at.page + BigInt(PAGES)
    await client.query(
      `insert into undecided_traces (piece)
       select piece from traces where ctid >= $1::tid and ctid < $2::tid and state = ${COMPLETE_TRACE}
       order by 1 on conflict (piece) do nothing`,
      [`(${at.page},0)`, `(${to},0)`],
    )
    if (to >= at.pages) await client.query('delete from watch_pass')
    else await client.query('update watch_pass set next_page = $1', [to])
    return true
  })
