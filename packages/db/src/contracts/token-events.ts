import { type Cell, EMPTY_CELL, parseBoc, serializeBoc } from '@shardwalk/cells'
import { JETTON, NFT, readJettonBurn, readJettonTransfer, readNftTransfer } from '@shardwalk/contracts'
import {
  type AccountId,
  type Lt,
  type McBlockSeqno,
  MESSAGE_KIND,
  type RawAddress,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import type { Row, TableName } from '@shardwalk/tables'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { lock } from '../writing/locks.ts'
import { withNumbering } from '../writing/numbering.ts'

interface Candidate {
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
  { limit, leaseSeconds }: { readonly limit: number; readonly leaseSeconds: number },
): Promise<number> {
  const claimed = await sql<{ mc_seqno: McBlockSeqno; lease: string }>`
    update event_queue q set leased_until = now() + make_interval(secs => ${leaseSeconds})
    from (select mc_seqno from event_queue where leased_until is null or leased_until < now()
          order by mc_seqno desc limit ${limit} for update skip locked) free
    where q.mc_seqno = free.mc_seqno
    returning q.mc_seqno, extract(epoch from q.leased_until)::text as lease`.execute(db)
  const seqnos = claimed.rows.map((row) => row.mc_seqno)
  const [first] = claimed.rows
  if (!first) return 0
  const candidates = await findCandidates(db, seqnos)
  await withNumbering(pool, async (client, { idOf, insert }) => {
    const events = toEvents(candidates, idOf)
    await insert()
    await lock(client, 'contracts')
    await insertEvents(client, 'jetton_transfers', events.transfers)
    await insertEvents(client, 'jetton_burns', events.burns)
    await insertEvents(client, 'nft_transfers', events.nfts)
    // A batch that was written again meanwhile has another lease or none: its rows were not read.
    await client.query(
      `delete from event_queue
       where mc_seqno = any ($1::int[]) and extract(epoch from leased_until) = $2::numeric`,
      [seqnos, first.lease],
    )
  })
  return seqnos.length
}

/**
 * Transactions of the batches that were started by a token message. Index: transactions (lt), primary key of
 * messages.
 */
async function findCandidates(db: Db, seqnos: readonly McBlockSeqno[]): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select t.account_id, t.lt, t.now, t.kind, t.aborted, m.account_id as source_id, m.opcode, m.body
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

interface Events {
  readonly transfers: EventRow<'jetton_transfers', 'jetton_id'>[]
  readonly burns: EventRow<'jetton_burns', 'jetton_id'>[]
  readonly nfts: EventRow<'nft_transfers', 'collection_id'>[]
}

function toEvents(candidates: readonly Candidate[], idOf: (address: RawAddress) => AccountId): Events {
  const events: Events = { transfers: [], burns: [], nfts: [] }
  const maybe = (address: RawAddress | undefined) => (address ? idOf(address) : null)
  for (const tx of candidates) {
    const body = bodyOf(tx.body).slice()
    const base = { account_id: tx.account_id, lt: tx.lt, now: tx.now, aborted: tx.aborted ?? false }
    const transfer = tx.kind === ORDINARY ? readJettonTransfer(body) : undefined
    if (transfer)
      events.transfers.push({
        ...base,
        source_id: tx.source_id,
        destination_id: maybe(transfer.destination),
        response_id: maybe(transfer.responseDestination),
        query_id: String(transfer.queryId),
        amount: String(transfer.amount),
        forward_amount: String(transfer.forwardTonAmount),
        custom_payload: toBoc(transfer.customPayload),
        forward_payload: toBoc(transfer.forwardPayload),
      })
    const burn = tx.kind === ORDINARY ? readJettonBurn(body) : undefined
    if (burn)
      events.burns.push({
        ...base,
        owner_id: tx.source_id,
        response_id: maybe(burn.responseDestination),
        query_id: String(burn.queryId),
        amount: String(burn.amount),
        custom_payload: toBoc(burn.customPayload),
        forward_payload: null,
      })
    const nft = readNftTransfer(body)
    if (nft)
      events.nfts.push({
        ...base,
        old_owner_id: tx.source_id,
        new_owner_id: maybe(nft.newOwner),
        response_id: maybe(nft.responseDestination),
        query_id: String(nft.queryId),
        forward_amount: String(nft.forwardAmount),
        custom_payload: toBoc(nft.customPayload),
        forward_payload: toBoc(nft.forwardPayload),
      })
  }
  return events
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
