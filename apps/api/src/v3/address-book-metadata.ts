import type { Json } from '@shardwalk/api-schema'
import type { ContentJson, Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'

interface WalletRow {
  readonly account_id: bigint
  readonly owner_id: bigint
  readonly jetton_id: bigint
  readonly balance: string
}

interface TokenRow {
  readonly account_id: bigint
  readonly type: 'nft_items' | 'nft_collections' | 'jetton_masters'
  readonly nft_index: string | null
  readonly content: ContentJson | null
}

/** What is known of tokens among the accounts of a reply. */
export interface TokenRows {
  readonly wallets: readonly WalletRow[]
  readonly tokens: readonly TokenRow[]
  /** Accounts that the metadata prints. */
  readonly printed: readonly AccountId[]
}

/** Index: primary keys. The master of a wallet is described too (specification 6.5). */
export async function loadTokenRows(db: Db, ids: readonly AccountId[]): Promise<TokenRows> {
  if (ids.length === 0) return { wallets: [], tokens: [], printed: [] }
  const wallets = await sql<WalletRow>`
    select account_id, owner_id, jetton_id, balance from jetton_wallets where account_id = any (${ids}::int8[])`.execute(
    db,
  )
  const all = [...new Set([...ids, ...wallets.rows.map((row) => row.jetton_id)])]
  const tokens = await sql<TokenRow>`
    select account_id, 'nft_items' as type, item_index::text as nft_index, content from nft_items where account_id = any (${all}::int8[])
    union all select account_id, 'nft_collections', null, content from nft_collections where account_id = any (${all}::int8[])
    union all select account_id, 'jetton_masters', null, content from jetton_masters where account_id = any (${all}::int8[])`.execute(
    db,
  )
  const printed = [
    ...wallets.rows.flatMap((row) => [row.account_id, row.owner_id, row.jetton_id]),
    ...tokens.rows.map((row) => row.account_id),
  ]
  return { wallets: wallets.rows, tokens: tokens.rows, printed }
}

const TOP = new Set(['name', 'symbol', 'description', 'image'])

/** `metadata` of a reply: raw address -> entries, keys sorted. What stands off chain is not fetched here. */
export function metadataText({ wallets, tokens }: TokenRows, text: (id: AccountId) => string): Json {
  const entries = new Map<string, { indexed: boolean; info: object[] }>()
  const add = (id: AccountId, indexed: boolean, info: object) => {
    const key = text(id)
    const entry = entries.get(key) ?? { indexed: true, info: [] }
    entries.set(key, { indexed: entry.indexed && indexed, info: [...entry.info, info] })
  }
  for (const row of wallets)
    add(row.account_id, true, {
      valid: true,
      type: 'jetton_wallets',
      extra: { owner: text(row.owner_id), jetton: text(row.jetton_id), balance: row.balance },
    })
  for (const row of tokens) {
    const known = row.content?.['name'] !== undefined
    add(row.account_id, known, known ? describe(row, row.content ?? {}) : unknownToken(row))
  }
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = sorted.map(([key, { indexed, info }]) => [key, { is_indexed: indexed, token_info: info }])
  return JSON.stringify(Object.fromEntries(rows))
}

const unknownToken = ({ type, nft_index }: TokenRow): object => ({ type, ...(nft_index !== null && { nft_index }) })

function describe({ type, nft_index }: TokenRow, content: ContentJson): object {
  const extra = Object.fromEntries(Object.entries(content).filter(([name]) => !TOP.has(name)))
  const { name, symbol, description, image } = content
  return {
    valid: true,
    type,
    ...(name && { name }),
    ...(symbol && { symbol }),
    ...(description && { description }),
    ...(image && { image }),
    ...(nft_index !== null && { nft_index }),
    is_nsfw: false,
    is_scam: false,
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}
