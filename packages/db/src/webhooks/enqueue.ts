import type { AccountId, Lt, McBlockSeqno } from '@shardwalk/model'
import { WEBHOOK_TYPES, type WebhookType } from '@shardwalk/tables'
import type pg from 'pg'

const numberOf = (type: WebhookType): number => WEBHOOK_TYPES.indexOf(type)

/** The first block that any webhook gets events of, less one; undefined: there are none. */
async function webhooksAfter(client: pg.ClientBase): Promise<McBlockSeqno | undefined> {
  const { rows } = await client.query<{ after: McBlockSeqno | null }>(
    'select min(after_seqno) as after from webhooks',
  )
  return rows[0]!.after ?? undefined
}

interface WrittenBlocks {
  readonly seqnos: readonly McBlockSeqno[]
  /** lt of their transactions. */
  readonly from: Lt
  readonly to: Lt
  /** Whether the blocks replace others, whose events were queued before (table `gone`). */
  readonly isRepair: boolean
}

/**
 * Queues the events of masterchain blocks for webhooks, in the transaction that writes the blocks. The range
 * of lt is in the text: a plan for any range would expect it to be wide, and look every watched account up.
 */
export async function enqueueBlockEvents(
  client: pg.ClientBase,
  { seqnos, from, to, isRepair }: WrittenBlocks,
): Promise<void> {
  const isNew = isRepair
    ? 'and not exists (select from gone g where g.account_id = t.account_id and g.lt = t.lt)'
    : ''
  await client.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
     select distinct w.id, a.account_id, t.mc_block_seqno, k.type, 0::int8
     from transactions t join webhook_accounts a on a.account_id = t.account_id
     join webhooks w on w.id = a.webhook_id
     join (values (${numberOf('transactions')}::int2, 'transactions'),
       (${numberOf('account_state_change')}::int2, 'account_state_change')) k(type, name)
       on k.name = any (w.types)
     where t.lt between ${from} and ${to} and t.mc_block_seqno = any ($1::int[])
       and ${isKept('t.mc_block_seqno')} ${isNew}
     order by 3, 2, 1, 4`,
    [seqnos],
  )
}

const isKept = (seqno: string): string =>
  `${seqno} > w.after_seqno and ${seqno} <= coalesce(w.full_seqno, ${seqno})`

/** A trace that is being classified. */
interface ClassifiedTrace {
  readonly trace_id: Buffer
  readonly mc_seqno_end: McBlockSeqno
  readonly end_lt: Lt
}

/**
 * Those of the traces whose actions are to be queued for webhooks: traces that are classified for the first
 * time; none if there are no webhooks.
 */
export async function newlyClassified<T extends ClassifiedTrace>(
  client: pg.ClientBase,
  traces: readonly T[],
): Promise<readonly T[]> {
  const after = await webhooksAfter(client)
  const recent = after === undefined ? [] : traces.filter(({ mc_seqno_end: seqno }) => seqno > after)
  if (recent.length === 0) return []
  const { rows } = await client.query<{ trace_id: Buffer }>(
    'select distinct trace_id from actions where trace_id = any ($1::bytea[])',
    [recent.map(({ trace_id: id }) => id)],
  )
  return recent.filter(({ trace_id: id }) => !rows.some((row) => row.trace_id.equals(id)))
}

/** Queues the actions of traces, in the transaction that writes them. */
export async function enqueueActionEvents(
  client: pg.ClientBase,
  traces: readonly ClassifiedTrace[],
): Promise<void> {
  if (traces.length === 0) return
  await client.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt, trace_id)
     select distinct w.id, a.account_id, r.mc_seqno, ${numberOf('actions')}, r.end_lt, r.trace_id
     from unnest($1::bytea[], $2::int[], $3::int8[]) r(trace_id, mc_seqno, end_lt)
     join actions x on x.trace_id = r.trace_id cross join unnest(account_ids_in(x.account_ids)) as i(id)
     join webhook_accounts a on a.account_id = i.id join webhooks w on w.id = a.webhook_id
     where ${isKept('r.mc_seqno')} and 'actions' = any (w.types)
     order by 3, 5, 2, 1`,
    [
      traces.map(({ trace_id: id }) => id),
      traces.map(({ mc_seqno_end: seqno }) => seqno),
      traces.map(({ end_lt: lt }) => lt),
    ],
  )
}

/** A jetton wallet before it was examined. */
export interface WalletBefore {
  readonly account_id: AccountId
  readonly lt: Lt
  readonly owner_id: AccountId
  readonly jetton_id: AccountId
}

/** The wallets among contracts that are about to be written; undefined: no webhook subscribes to wallets. */
export async function walletsBefore(
  client: pg.ClientBase,
  ids: readonly AccountId[],
): Promise<readonly WalletBefore[] | undefined> {
  const wanting = await client.query(`select from webhooks where 'jettons_change' = any (types) limit 1`)
  if (wanting.rowCount === 0) return undefined
  const { rows } = await client.query<WalletBefore>(
    'select account_id, lt, owner_id, jetton_id from jetton_wallets where account_id = any ($1::int8[])',
    [ids],
  )
  return rows
}

/** Queues the jetton wallets among contracts that were written, in the same transaction. */
export async function enqueueWalletEvents(
  client: pg.ClientBase,
  before: readonly WalletBefore[] | undefined,
  ids: readonly AccountId[],
): Promise<void> {
  if (!before || ids.length === 0) return
  await client.query(WALLETS, [
    ids,
    before.map((row) => row.account_id),
    before.map((row) => row.lt),
    before.map((row) => row.owner_id),
    before.map((row) => row.jetton_id),
  ])
}

/** A wallet that no longer exists has no row, so the event names its owner and jetton. */
const WALLETS = `
  with changed as (
    select account_id, coalesce(n.owner_id, b.owner_id) as owner_id,
      coalesce(n.jetton_id, b.jetton_id) as jetton_id
    from unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[]) b(account_id, lt, owner_id, jetton_id)
    full join (select account_id, lt, owner_id, jetton_id from jetton_wallets
      where account_id = any ($1::int8[])) n using (account_id)
    where account_id = any ($1::int8[]) and (n.lt is null or b.lt is null or n.lt > b.lt))
  insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt, wallet_id, wallet)
  select w.id, a.account_id, s.mc_seqno, ${numberOf('jettons_change')}, s.lt, c.account_id,
    json_build_object('owner_id', c.owner_id::text, 'jetton_id', c.jetton_id::text)
  from changed c join latest_account_states s on s.account_id = c.account_id
  join webhook_accounts a on a.account_id in (c.account_id, c.owner_id)
  join webhooks w on w.id = a.webhook_id
  where ${isKept('s.mc_seqno')} and 'jettons_change' = any (w.types)
  order by s.mc_seqno, s.lt, a.account_id, w.id`
