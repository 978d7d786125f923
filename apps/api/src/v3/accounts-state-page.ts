import {
  type AccountStatesQuery,
  bocText,
  type Json,
  MAX_ACCOUNTS,
  type WalletStatesQuery,
} from '@shardwalk/api-schema'
import { interfacesOf, walletState } from '@shardwalk/contracts'
import { ACCOUNT_STATUS, type AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { pageReply, type RequestContext } from '../http/route.ts'
import { Listing } from './address-book-listing.ts'
import { all, type Condition } from './queries/sql.ts'

interface StateRow {
  readonly account_id: bigint
  readonly lt: bigint
  readonly balance: bigint
  readonly status: number
  readonly state_hash: Buffer
  readonly last_trans_hash: Buffer
  readonly code_hash: Buffer | null
  readonly data_hash: Buffer | null
  readonly frozen_hash: Buffer | null
  /** A text while only the hash of the currencies is known. */
  readonly extra_currencies: Readonly<Record<string, string>> | string | null
  readonly methods: readonly number[] | null
  readonly code: Buffer | null
  readonly data: Buffer | null
}

const base64 = (bytes: Buffer): string => bytes.toString('base64')

/** GET /accountStates, in the order of the request. */
export async function accountStates(context: RequestContext, query: AccountStatesQuery): Promise<Json> {
  const rows = await loadStates(context, query, { bocs: query.include_boc !== false })
  const listing = await new Listing(context)
    .list(...rows.map((row) => row.account_id))
    .load({ metadata: true })
  const items = rows.map((row) =>
    JSON.stringify({
      address: listing.text(row.account_id),
      account_state_hash: base64(row.state_hash),
      balance: String(row.balance),
      extra_currencies: typeof row.extra_currencies === 'string' ? null : (row.extra_currencies ?? {}),
      status: ACCOUNT_STATUS[row.status],
      ...(row.frozen_hash && { frozen_hash: base64(row.frozen_hash) }),
      last_transaction_hash: base64(row.last_trans_hash),
      last_transaction_lt: String(row.lt),
      ...(row.data_hash && { data_hash: base64(row.data_hash) }),
      ...(row.code_hash && { code_hash: base64(row.code_hash) }),
      ...(row.data && { data_boc: bocText(row.data) }),
      ...(row.code && { code_boc: bocText(row.code) }),
      contract_methods: row.methods,
      interfaces: row.code_hash ? interfacesOf({ codeHash: row.code_hash, methods: row.methods ?? [] }) : [],
    }),
  )
  return pageReply('accounts', { items, fields: listing.fields({ metadata: true }) })
}

/** GET /walletStates: every known account, wallet or not. */
export async function walletStates(context: RequestContext, query: WalletStatesQuery): Promise<Json> {
  const rows = await loadStates(context, { address: query.address }, { bocs: true })
  const listing = await new Listing(context)
    .list(...rows.map((row) => row.account_id))
    .load({ metadata: true })
  const items = rows.map((row) => walletText(row, listing.text(row.account_id)))
  return pageReply('wallets', { items, fields: listing.fields({ metadata: true }) })
}

function walletText(row: StateRow, address: string): Json {
  const wallet = row.code_hash && row.data ? walletState(row.code_hash, row.data) : undefined
  const head = JSON.stringify({
    address,
    is_wallet: wallet !== undefined,
    ...(wallet && { wallet_type: wallet.walletType }),
    ...(wallet?.seqno !== undefined && { seqno: wallet.seqno }),
  })
  const tail = JSON.stringify({
    balance: String(row.balance),
    ...(row.extra_currencies &&
      typeof row.extra_currencies !== 'string' && { extra_currencies: row.extra_currencies }),
    ...(wallet?.isSignatureAllowed !== undefined && { is_signature_allowed: wallet.isSignatureAllowed }),
    status: ACCOUNT_STATUS[row.status],
    ...(row.code_hash && { code_hash: base64(row.code_hash) }),
    last_transaction_hash: base64(row.last_trans_hash),
    last_transaction_lt: String(row.lt),
  })
  // An id of 80 bits is a number that JSON can write and `JSON.stringify` cannot.
  const id = wallet?.walletId === undefined ? '' : `,"wallet_id":${wallet.walletId}`
  return `${head.slice(0, -1)}${id},${tail.slice(1)}`
}

/** Index: primary keys; code_hash. */
async function loadStates(
  { db, accounts }: RequestContext,
  query: Pick<AccountStatesQuery, 'address'> & Partial<AccountStatesQuery>,
  { bocs }: { readonly bocs: boolean },
): Promise<StateRow[]> {
  const conditions: Condition[] = []
  const order = new Map<AccountId, number>()
  if (query.address) {
    for (const id of await accounts.idsOf(db, query.address)) order.set(id, order.size)
    if (order.size === 0) return []
    conditions.push(sql`s.account_id = any (${[...order.keys()]}::int8[])`)
  }
  if (query.code_hash) conditions.push(sql`s.code_hash = any (${query.code_hash}::bytea[])`)
  const parts = bocs ? sql`c.boc as code, coalesce(d.boc, r.boc) as data` : sql`null as code, null as data`
  const { rows } = await sql<StateRow>`
    select s.*, m.methods, ${parts} from latest_account_states s
    left join contract_methods m on m.code_hash = s.code_hash
    left join codes c on c.code_hash = s.code_hash
    left join account_data d on d.account_id = s.account_id and d.data_hash = s.data_hash
    left join contract_data r on r.account_id = s.account_id and r.data_hash = s.data_hash
    where ${all(conditions)} order by s.account_id limit ${MAX_ACCOUNTS}`.execute(db)
  if (order.size === 0) return rows
  return rows.sort((a, b) => (order.get(a.account_id) ?? 0) - (order.get(b.account_id) ?? 0))
}
