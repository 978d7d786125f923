import type pg from 'pg'
import type { WatchSubject } from '../src/index.ts'

// What WATCH is to keep, without any of the statements that decide it.

interface Member {
  readonly trace: string
  readonly account_id: bigint
  readonly lt: bigint
  readonly out: number
  readonly in_account: bigint | null
  readonly in_lt: bigint | null
  readonly block: string
  readonly code: string | null
}

export interface History {
  readonly members: readonly Member[]
  /** By id of the trace. */
  readonly isComplete: ReadonlyMap<string, boolean>
  /** By table: the text of each row, and the trace that it belongs to. */
  readonly rows: Readonly<Record<string, ReadonlyMap<string, string | undefined>>>
  readonly accounts: ReadonlyMap<string, bigint>
  /** By account: the jettons and owners that it is of. */
  readonly wallets: readonly { readonly id: bigint; readonly jetton: bigint; readonly owner: bigint | null }[]
  /** Accounts that tokens were sent to, by transaction. */
  readonly receivers: ReadonlyMap<string, bigint | null>
}

const key = (account: bigint | null, lt: bigint | null) => `${account} ${lt}`

export async function readHistory(pool: pg.Pool): Promise<History> {
  const read = async (statement: string) => (await pool.query(statement)).rows
  const members: Member[] = await read(
    `select encode(trace_id_of(piece), 'hex') as trace, account_id, lt, out_msg_count as out,
       in_msg_account_id as in_account, in_msg_lt as in_lt, encode(code_hash_after, 'hex') as code,
       concat(account_id, ' ', mc_block_seqno, ' ', block_seqno) as block
     from transactions order by account_id, lt`,
  )
  const traces = await read("select encode(trace_id, 'hex') as trace, state from traces")
  const byTransaction = new Map(members.map((one) => [key(one.account_id, one.lt), one.trace]))
  const byMessage = new Map<string, string>()
  for (const { account_id: account, lt, out, in_account: sender, in_lt: inLt, trace } of members) {
    for (let index = 1n; index <= BigInt(out); index++) byMessage.set(key(account, lt + index), trace)
    if (inLt !== null) byMessage.set(key(sender ?? account, inLt), trace)
  }
  const rows: Record<string, Map<string, string | undefined>> = {}
  const byKey = async (table: string, of: ReadonlyMap<string, string>) => {
    const list = await read(`select account_id, lt, t::text as text from ${table} t`)
    rows[table] = new Map(list.map((row) => [row.text, of.get(key(row.account_id, row.lt))]))
  }
  await byKey('transactions', byTransaction)
  await byKey('messages', byMessage)
  for (const table of ['jetton_transfers', 'jetton_burns', 'nft_transfers']) await byKey(table, byTransaction)
  for (const table of ['traces', 'actions']) {
    const list = await read(`select encode(trace_id, 'hex') as trace, t::text as text from ${table} t`)
    rows[table] = new Map(list.map((row) => [row.text, row.trace]))
  }
  const shortened = new Map(traces.map(({ trace }) => [trace.slice(0, 14), trace]))
  const accountRows = await read(
    "select encode(trace_bytes, 'hex') as trace, t::text as text from action_accounts t",
  )
  rows['action_accounts'] = new Map(accountRows.map((row) => [row.text, shortened.get(row.trace)]))
  const pieces = await read(
    "select encode(trace_id_of(piece), 'hex') as trace, t::text as text from trace_pieces t",
  )
  rows['trace_pieces'] = new Map(pieces.map((row) => [row.text, row.trace]))
  const accounts = await read(
    "select id, concat(workchain, ':', encode(address, 'hex')) as text from accounts",
  )
  const events = await read(
    `select account_id, lt, destination_id as receiver from jetton_transfers
     union all select account_id, lt, new_owner_id from nft_transfers`,
  )
  return {
    members,
    rows,
    isComplete: new Map(traces.map((row) => [row.trace, row.state === 0])),
    accounts: new Map(accounts.map((row) => [row.text, row.id])),
    wallets: await read(
      `select account_id as id, jetton_id as jetton, owner_id as owner from jetton_wallets
       union select account_id, jetton_id, wallet_owner_id from former_contracts where jetton_id is not null
       union select account_id, named_id, null from contract_claims`,
    ),
    receivers: new Map(events.map((row) => [key(row.account_id, row.lt), row.receiver])),
  }
}

/** The rows of the traces that concern what is watched, and of those that are not complete. */
export async function wantedRows(
  full: History,
  watch: readonly WatchSubject[],
): Promise<{ readonly rows: Readonly<Record<string, readonly string[]>>; readonly traces: number }> {
  const ids = (kind: 'address' | 'jetton') =>
    new Set(
      watch.flatMap((one) =>
        one.kind === kind
          ? [full.accounts.get(`${one.address.workchain}:${one.address.hash.toString('hex')}`)!]
          : [],
      ),
    )
  const addresses = ids('address')
  const jettons = ids('jetton')
  const codes = new Set(watch.flatMap((one) => (one.kind === 'code' ? [one.hash.toString('hex')] : [])))
  const concerned = new Set<bigint>([...addresses, ...jettons])
  for (const { id, jetton, owner } of full.wallets)
    if (jettons.has(jetton) || (owner !== null && addresses.has(owner))) concerned.add(id)
  // The code at the end of a block is that of the account's last transaction in it.
  const codeOfBlock = new Map(full.members.map(({ block, code }) => [block, code]))
  const kept = new Set(
    full.members
      .filter(
        ({ account_id: account, lt, block }) =>
          concerned.has(account) ||
          codes.has(codeOfBlock.get(block) ?? '') ||
          addresses.has(full.receivers.get(key(account, lt)) ?? -1n),
      )
      .map(({ trace }) => trace),
  )
  const isLeft = (trace: string | undefined) =>
    trace !== undefined && (kept.has(trace) || !full.isComplete.get(trace))
  return {
    traces: kept.size,
    rows: Object.fromEntries(
      Object.entries(full.rows).map(([table, rows]) => [
        table,
        [...rows].filter(([, trace]) => isLeft(trace)).map(([text]) => text),
      ]),
    ),
  }
}
