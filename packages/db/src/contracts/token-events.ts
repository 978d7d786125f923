import { type Cell, EMPTY_CELL, parseBoc, type Slice, serializeBoc } from '@shardwalk/cells'
import { LEASE, type Lease, whileLeased } from '@shardwalk/concurrency'
import { JETTON, NFT, readJettonBurn, readJettonTransfer, readNftTransfer } from '@shardwalk/contracts'
import {
  type AccountId,
  type Lt,
  type McBlockSeqno,
  MESSAGE_KIND,
  type RawAddress,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import { type Row, type TableName, TOKEN_EVENT_TABLES } from '@shardwalk/tables'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { lock } from '../writing/locks.ts'
import { withNumbering } from '../writing/numbering.ts'

interface Candidate {
  readonly mc_block_seqno: McBlockSeqno
  readonly account_id: AccountId
  readonly lt: Lt
  readonly now: number
  readonly kind: number
  readonly aborted: boolean | null
  readonly source_id: AccountId
  readonly opcode: number
  readonly body: Buffer | null
}

const OPCODES = [JETTON.transfer, JETTON.burn, NFT.transfer]
const INTERNAL = MESSAGE_KIND.indexOf('internal')
const ORDINARY = TRANSACTION_KIND.indexOf('ord')

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
      await writeEvents(
        client,
        events.filter(({ seqno }) => unchanged.has(seqno)),
      )
      await client.query('delete from event_queue where mc_seqno = any ($1::int[])', [[...unchanged]])
    })
  }
  await whileLeased(derive, prolong, lease)
  return seqnos.length
}

async function writeEvents(
  client: pg.ClientBase,
  events: readonly ReturnType<typeof toEvents>[],
): Promise<void> {
  for (const table of TOKEN_EVENT_TABLES)
    await insertEvents(
      client,
      table,
      events.flatMap((one) => one[table] ?? []),
    )
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
 * Transactions of the batches that were started by a token message. Index: transactions (lt), primary key of
 * messages.
 */
async function findCandidates(db: Db, seqnos: readonly McBlockSeqno[]): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select t.mc_block_seqno, t.account_id, t.lt, t.now, t.kind, t.aborted, m.account_id as source_id,
      m.opcode, m.body
    from blocks b
    join transactions t on t.lt between b.batch_start_lt and b.batch_end_lt and t.mc_block_seqno = b.seqno
    join messages m on m.account_id = t.in_msg_account_id and m.lt = t.in_msg_lt
    where b.workchain = -1 and b.seqno = any (${seqnos}::int[])
      and m.kind = ${INTERNAL} and m.opcode = any (${OPCODES}::int[])`.execute(db)
  return rows
}

/**
 * The part that depends on the transaction alone. Whether the row is listed, and its token, are looked up
 * when it is written.
 */
type EventRow<Table extends TableName, Token extends keyof Row<Table>> = Omit<Row<Table>, 'confirmed' | Token>

type JettonTransferRow = EventRow<'jetton_transfers', 'jetton_id'>
type JettonBurnRow = EventRow<'jetton_burns', 'jetton_id'>
type NftTransferRow = EventRow<'nft_transfers', 'collection_id'>

/** What a transaction may be, by table. */
interface Events {
  readonly seqno: McBlockSeqno
  readonly jetton_transfers: JettonTransferRow | undefined
  readonly jetton_burns: JettonBurnRow | undefined
  readonly nft_transfers: NftTransferRow | undefined
}

/** A transaction whose message may be an event, and the message's body. */
interface Received {
  readonly tx: Candidate
  readonly body: Slice
  readonly maybeId: (address: RawAddress | undefined) => AccountId | null
}

function toEvents(tx: Candidate, idOf: (address: RawAddress) => AccountId): Events {
  const maybeId = (address: RawAddress | undefined) => (address ? idOf(address) : null)
  const received: Received = { tx, body: bodyOf(tx.body).slice(), maybeId }
  return {
    seqno: tx.mc_block_seqno,
    jetton_transfers: tx.kind === ORDINARY ? toJettonTransfer(received) : undefined,
    jetton_burns: tx.kind === ORDINARY ? toJettonBurn(received) : undefined,
    nft_transfers: toNftTransfer(received),
  }
}

const placeOf = ({ account_id, lt, now, aborted }: Candidate) => ({
  account_id,
  lt,
  now,
  aborted: aborted ?? false,
})

function toJettonTransfer({ tx, body, maybeId }: Received): JettonTransferRow | undefined {
  const transfer = readJettonTransfer(body)
  return (
    transfer && {
      ...placeOf(tx),
      source_id: tx.source_id,
      destination_id: maybeId(transfer.destination),
      response_id: maybeId(transfer.responseDestination),
      query_id: String(transfer.queryId),
      amount: String(transfer.amount),
      forward_amount: String(transfer.forwardTonAmount),
      custom_payload: toBoc(transfer.customPayload),
      forward_payload: toBoc(transfer.forwardPayload),
    }
  )
}

function toJettonBurn({ tx, body, maybeId }: Received): JettonBurnRow | undefined {
  const burn = readJettonBurn(body)
  return (
    burn && {
      ...placeOf(tx),
      owner_id: tx.source_id,
      response_id: maybeId(burn.responseDestination),
      query_id: String(burn.queryId),
      amount: String(burn.amount),
      custom_payload: toBoc(burn.customPayload),
      forward_payload: null,
    }
  )
}

function toNftTransfer({ tx, body, maybeId }: Received): NftTransferRow | undefined {
  const transfer = readNftTransfer(body)
  return (
    transfer && {
      ...placeOf(tx),
      old_owner_id: tx.source_id,
      new_owner_id: maybeId(transfer.newOwner),
      response_id: maybeId(transfer.responseDestination),
      query_id: String(transfer.queryId),
      forward_amount: String(transfer.forwardAmount),
      custom_payload: toBoc(transfer.customPayload),
      forward_payload: toBoc(transfer.forwardPayload),
    }
  )
}

function bodyOf(boc: Buffer | null): Cell {
  if (!boc) return EMPTY_CELL
  const bag = parseBoc(boc, { allowLevel: true })
  return bag.cell(bag.root)
}

const toBoc = (cell: Cell | undefined): Buffer | null => (cell ? serializeBoc(cell) : null)

/** The token is looked up here, and again when the role becomes known later; both hold the same lock. */
const CONFIRM = {
  jetton_transfers: { role: 'jetton_wallets', names: 'jetton_id', former: 'f.jetton_id is not null' },
  jetton_burns: { role: 'jetton_wallets', names: 'jetton_id', former: 'f.jetton_id is not null' },
  nft_transfers: { role: 'nft_items', names: 'collection_id', former: 'f.item_index is not null' },
} as const

async function insertEvents(
  client: pg.ClientBase,
  table: keyof typeof CONFIRM,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return
  const { role, names, former } = CONFIRM[table]
  const columns = Object.keys(rows[0] as object)
  const selected = columns.map((column) => `e.${column}`).join(', ')
  const updates = columns.filter((column) => column !== 'account_id' && column !== 'lt')
  await client.query(
    `insert into ${table} (${columns.join(', ')}, confirmed, ${names})
     select ${selected}, w.account_id is not null or ${former}, coalesce(w.${names}, f.${names})
     from jsonb_populate_recordset(null::${table}, $1::jsonb) e
       left join ${role} w on w.account_id = e.account_id and w.code_hash is not null
     left join former_contracts f on f.account_id = e.account_id
     order by e.account_id, e.lt
     on conflict (account_id, lt) do update
       set ${updates.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [
      JSON.stringify(rows, function (this: Record<string, unknown>, key, given) {
        const original = this[key]
        if (Buffer.isBuffer(original)) return `\\x${original.toString('hex')}`
        return typeof given === 'bigint' ? String(given) : given
      }),
    ],
  )
}
