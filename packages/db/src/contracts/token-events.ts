import { LEASE, type Lease, whileLeased } from '@shardwalk/concurrency'
import { JETTON, NFT } from '@shardwalk/contracts'
import { type McBlockSeqno, MESSAGE_KIND } from '@shardwalk/model'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { ofMasterchain } from '../rows/of-masterchain.ts'
import { lock } from '../writing/locks.ts'
import { withNumbering } from '../writing/numbering.ts'
import { type Candidate, toEvents } from './token-event-rows.ts'
import { writeTokenEvents } from './write-token-events.ts'

const OPCODES = [JETTON.transfer, JETTON.burn, NFT.transfer]
const INTERNAL = MESSAGE_KIND.indexOf('internal')
/**
 * Claims batches whose token events have not been derived and writes the events. A row depends on its
 * transaction alone; it is listed once the account is a confirmed wallet or item, which may become known
 * before or after. Returns the number of batches done.
 */
export async function deriveTokenEvents(
  { db, pool }: { readonly db: Db; readonly pool: pg.Pool },
  { limit, lease = LEASE }: { readonly limit: number; readonly lease?: Lease | undefined },
): Promise<number> {
  const { seconds } = lease
  const claimed = await sql<{ mc_seqno: McBlockSeqno; claim: string }>`
    update event_queue q set leased_until = now() + make_interval(secs => ${seconds})
    from (select mc_seqno from event_queue where leased_until is null or leased_until < now()
          order by mc_seqno desc limit ${limit} for update skip locked) free
    where q.mc_seqno = free.mc_seqno
    returning q.mc_seqno, ${CLAIM}`.execute(db)
  const seqnos = claimed.rows.map((row) => row.mc_seqno)
  const [first] = claimed.rows
  if (!first) return 0
  let { claim } = first
  const prolong = async () => {
    claim = (await prolongBatches(db, seqnos, { claim, seconds })) ?? claim
  }
  const derive = async (endLease: () => Promise<void>) => {
    const candidates = await findCandidates(db, seqnos)
    await withNumbering(pool, async (client, { idOf, insert }) => {
      const events = candidates.map((tx) => toEvents(tx, idOf))
      await insert()
      await lock(client, 'contracts')
      await endLease()
      const unchanged = await lockClaimed(client, seqnos, claim)
      await writeTokenEvents(
        client,
        events.filter(({ seqno }) => unchanged.has(seqno)),
      )
      await client.query('delete from event_queue where mc_seqno = any ($1::int[])', [[...unchanged]])
    })
  }
  await whileLeased(derive, prolong, lease)
  return seqnos.length
}

/** The end of its lease identifies a claim. */
const CLAIM = sql<string>`extract(epoch from q.leased_until)::text as claim`

/**
 * Prolongs the lease of those batches that are still claimed. Returns what identifies the claim now;
 * undefined if there are none. Skips rows that are locked.
 */
async function prolongBatches(
  db: Db,
  seqnos: readonly McBlockSeqno[],
  { claim, seconds }: { readonly claim: string; readonly seconds: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ claim: string }>`
    update event_queue q set leased_until = now() + make_interval(secs => ${seconds})
    from (select mc_seqno from event_queue
          where mc_seqno = any (${seqnos}::int[]) and extract(epoch from leased_until) = ${claim}::numeric
          for update skip locked) mine
    where q.mc_seqno = mine.mc_seqno
    returning ${CLAIM}`.execute(db)
  return rows[0]?.claim
}

/**
 * The batches that are still claimed. One that was written again since has another claim or none,
 * and its transactions may be gone: what was read of it is ignored. The others cannot be written again
 * before the transaction ends, and a repair that waits finds the events and deletes those of false
 * transactions. After the locks that a batch takes before it comes to the queue.
 */
async function lockClaimed(
  client: pg.ClientBase,
  seqnos: readonly McBlockSeqno[],
  claim: string,
): Promise<ReadonlySet<McBlockSeqno>> {
  const { rows } = await client.query<{ mc_seqno: McBlockSeqno }>(
    `select mc_seqno from event_queue
     where mc_seqno = any ($1::int[]) and extract(epoch from leased_until) = $2::numeric
     order by mc_seqno for update`,
    [seqnos, claim],
  )
  return new Set(rows.map((row) => row.mc_seqno))
}

/**
 * Transactions of the batches that were started by a token message. `offset 0`: each batch has its own range
 * of lt, of which the planner knows nothing, so that for several it would rather read all transactions once.
 * Index: transactions (lt), primary key of messages.
 */
async function findCandidates(db: Db, seqnos: readonly McBlockSeqno[]): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select t.mc_block_seqno, t.account_id, t.lt, t.now, t.kind, t.aborted, m.account_id as source_id,
      m.opcode, m.body
    from blocks b
    cross join lateral (
      select x.mc_block_seqno, x.account_id, x.lt, x.now, x.kind, x.aborted, x.in_msg_account_id, x.in_msg_lt
      from transactions x
      where x.lt between b.batch_start_lt and b.batch_end_lt and x.mc_block_seqno = b.seqno offset 0
    ) t
    cross join lateral (
      select x.account_id, x.opcode, x.body from messages x
      where x.account_id = t.in_msg_account_id and x.lt = t.in_msg_lt
        and x.kind = ${INTERNAL} and x.opcode = any (${OPCODES}::int[]) offset 0
    ) m
    where ${sql.raw(ofMasterchain('b'))} and b.seqno = any (${seqnos}::int[])`.execute(db)
  return rows
}
