import type { Json } from '@shardwalk/api-schema'
import { type ContentJson, type Db, TOKEN_TYPES, type TokenType, wishMetadata } from '@shardwalk/db'
import { type ImageProxy, imageLinks, makeRecord } from '@shardwalk/metadata'
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
  readonly type: TokenType
  readonly nft_index: string | null
  readonly content: ContentJson | null
  readonly domain: string | null
  /** Null: never fetched, or fetched for other content than the chain has now. */
  readonly valid: boolean | null
  readonly is_due: boolean
  readonly name: string | null
  readonly symbol: string | null
  readonly description: string | null
  readonly image: string | null
  readonly extra: Readonly<Record<string, unknown>> | null
  readonly is_nsfw: boolean
  readonly is_scam: boolean
}

/** What is known of tokens among the accounts of a reply. */
export interface TokenRows {
  readonly wallets: readonly WalletRow[]
  readonly tokens: readonly TokenRow[]
  /** Accounts that the metadata prints. */
  readonly printed: readonly AccountId[]
}

/**
 * Index: primary keys. The master of a wallet is described too (specification 6.5). What was never fetched or is out of date is wished for,
 * as far as this is no replica and somebody fetches.
 */
export async function loadTokenRows(db: Db, ids: readonly AccountId[]): Promise<TokenRows> {
  if (ids.length === 0) return { wallets: [], tokens: [], printed: [] }
  const wallets = await sql<WalletRow>`
    select account_id, owner_id, jetton_id, balance from jetton_wallets where account_id = any (${ids}::int8[])`.execute(
    db,
  )
  const all = [...new Set([...ids, ...wallets.rows.map((row) => row.jetton_id)])]
  const tokens = await loadTokens(db, all)
  const wishes = tokens.filter((row) => row.is_due).map((row) => ({ accountId: row.account_id, type: row.type }))
  void wishMetadata(db, wishes).catch(() => {})
  const printed = [
    ...wallets.rows.flatMap((row) => [row.account_id, row.owner_id, row.jetton_id]),
    ...tokens.map((row) => row.account_id),
  ]
  return { wallets: wallets.rows, tokens, printed }
}

async function loadTokens(db: Db, ids: readonly AccountId[]): Promise<readonly TokenRow[]> {
  const { rows } = await sql<Omit<TokenRow, 'type'> & { readonly type: number }>`
    with t as (
      select account_id, 0 as type, item_index::text as nft_index, content from nft_items where account_id = any (${ids}::int8[])
      union all select account_id, 1, null, content from nft_collections where account_id = any (${ids}::int8[])
      union all select account_id, 2, null, content from jetton_masters where account_id = any (${ids}::int8[]))
    select t.*, d.domain, m.valid, (m.account_id is null or m.expires_at < now())
        and exists (select from metadata_fetcher where seen_at > now() - interval '5 minutes') and not pg_is_in_recovery() as is_due,
      m.name, m.symbol, m.description, m.image, m.extra, coalesce(f.is_nsfw, false) as is_nsfw, coalesce(f.is_scam, false) as is_scam
    from t
    left join address_metadata m on m.account_id = t.account_id and m.type = t.type
      and m.source_hash = sha256(convert_to(coalesce(t.content::text, ''), 'UTF8'))
    left join address_metadata_flags f on f.account_id = t.account_id
    left join dns_entries d on d.account_id = t.account_id and t.type = 0
    order by t.type, t.account_id`.execute(db)
  return rows.map((row) => ({ ...row, type: TOKEN_TYPES[row.type] as TokenType }))
}

/** `metadata` of a reply: raw address -> entries, keys sorted. */
export function metadataText(
  { wallets, tokens }: TokenRows,
  text: (id: AccountId) => string,
  proxy: ImageProxy | undefined,
): Json {
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
    const { indexed, info } = describe(row, proxy)
    add(row.account_id, indexed, info)
  }
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = sorted.map(([key, { indexed, info }]) => [key, { is_indexed: indexed, token_info: info }])
  return JSON.stringify(Object.fromEntries(rows))
}

/** Fetched or not, what the chain itself says is shown as soon as it is enough to name the token. */
function describe(row: TokenRow, proxy: ImageProxy | undefined): { readonly indexed: boolean; readonly info: object } {
  const { type, nft_index, content, domain } = row
  const index = nft_index !== null && { nft_index }
  if (row.valid === false) return { indexed: true, info: { valid: false, type, ...index } }
  const shown = row.valid ? row : makeRecord({ kind: type, content, domain })
  if (!shown) return { indexed: false, info: { type, ...index } }
  const { name, symbol, description, image } = shown
  const extra = { ...shown.extra, ...(image && proxy && imageLinks(image, proxy, row.is_nsfw)) }
  const info = {
    valid: true,
    type,
    ...(name && { name }),
    ...(symbol && { symbol }),
    ...(description && { description }),
    ...(image && !row.is_nsfw && { image }),
    ...index,
    is_nsfw: row.is_nsfw,
    is_scam: row.is_scam,
    ...(Object.keys(extra).length > 0 && { extra }),
  }
  return { indexed: true, info }
}
