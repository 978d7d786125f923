import {
  type ContentJson,
  type Db,
  FETCHER_RUNS,
  isOutdated,
  TOKEN_TYPES,
  type TokenType,
} from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { KEEP_PLAN, named, partColumns, statement } from '../idiom/index.ts'
import { BOOK_EXPRESSIONS, BOOK_TABLES, BOOK_TYPES, type BookRow } from './book-rows.ts'

/** A jetton wallet, for the metadata of a reply. */
export interface WalletRow {
  readonly account_id: AccountId
  readonly owner_id: AccountId
  readonly jetton_id: AccountId
  readonly balance: string
}

/** A token and what is known of its metadata. */
export interface TokenRow {
  readonly account_id: AccountId
  readonly type: TokenType
  readonly nft_index: string | null
  /** Null if `valid`: what was fetched contains it. */
  readonly content: ContentJson | null
  readonly domain: string | null
  /** Null when the metadata was never fetched, or fetched for content that has changed since. */
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

/** A transaction at either end of a message. */
export interface EndRow {
  readonly account_id: AccountId
  readonly lt: bigint
  /** Hash of the transaction. */
  readonly hash: Buffer
}

/** Code of a contract as a bag of cells, and its hash. */
export interface CodeRow {
  readonly hash: Buffer
  readonly boc: Buffer
}

/** Rows that a reply needs besides the rows of the page. */
export interface ListingRows {
  readonly accounts: readonly BookRow[]
  readonly wallets: readonly WalletRow[]
  /** Ordered by type, then account. */
  readonly tokens: readonly TokenRow[]
  readonly receivers: readonly EndRow[]
  readonly senders: readonly EndRow[]
  readonly codes: readonly CodeRow[]
}

/** Of a reply that names nothing. */
export const NO_ROWS: ListingRows = {
  accounts: [],
  wallets: [],
  tokens: [],
  receivers: [],
  senders: [],
  codes: [],
}

/** What a reply names besides the rows of its page. */
export interface ListingRequest {
  /** Accounts that appear in the address book and the metadata. */
  readonly listed: Iterable<AccountId>
  /** Accounts of which only the address is needed. */
  readonly printed: Iterable<AccountId>
  readonly metadata: boolean
  /** Further selects in the same statement: `LISTING_COLUMNS` of receivers, senders and codes. */
  readonly also?: readonly RawBuilder<unknown>[]
}

/** Which kind of `ListingRows` a row of the combined statement is. */
export const PART = { account: 0, wallet: 1, token: 2, receiver: 3, sender: 4, code: 5 } as const

/** A row of any kind: columns that belong to other kinds are null. */
type PartRow = BookRow & WalletRow & StoredToken & EndRow & CodeRow & { readonly part: number }
type StoredToken = Omit<TokenRow, 'type'> & { readonly type: number }

const TYPES = {
  ...BOOK_TYPES,
  account_id: 'int8',
  owner_id: 'int8',
  jetton_id: 'int8',
  balance: 'text',
  type: 'int4',
  nft_index: 'text',
  content: 'jsonb',
  valid: 'bool',
  is_due: 'bool',
  name: 'text',
  symbol: 'text',
  description: 'text',
  image: 'text',
  extra: 'jsonb',
  is_nsfw: 'bool',
  is_scam: 'bool',
  lt: 'int8',
  hash: 'bytea',
  boc: 'bytea',
} as const
const LISTING = statement<PartRow>('address book and metadata of a page', { part: 'int4', ...TYPES })

/** Columns of one kind of rows in the statement of `loadListing`. */
export const LISTING_COLUMNS = partColumns(TYPES)

const OF_ACCOUNT = LISTING_COLUMNS(PART.account, BOOK_EXPRESSIONS)
const OF_WALLET = LISTING_COLUMNS(PART.wallet, {
  ...named('w', 'account_id owner_id jetton_id'),
  balance: 'w.balance::text',
})
/** Texts of all tokens of a reply, beyond which large ones are cut, and what is large then. Bytes. */
const MAX_BYTES = 16 * 1_048_576
const LARGE_BYTES = 4_096
/** What is left of a large token: these members, if they are short. */
const KEPT = "('name', 'symbol', 'decimals', 'image', 'uri', 'url', 'domain')"
const MAX_KEPT_BYTES = 1_024

const cutText = (column: string) =>
  `case when not t.is_cut or octet_length(t.${column}) <= ${MAX_KEPT_BYTES} then t.${column} end`
const cutObject = (column: string) =>
  `case when not t.is_cut then t.${column} when t.${column} is not null then (
    select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(t.${column}) e
    where e.key in ${KEPT} and octet_length(e.value::text) <= ${MAX_KEPT_BYTES}) end`

const OF_TOKEN = LISTING_COLUMNS(PART.token, {
  ...named('t', 'account_id type nft_index valid name symbol'),
  content: cutObject('content'),
  description: cutText('description'),
  image: cutText('image'),
  extra: cutObject('extra'),
  domain: 'd.domain',
  is_due: `(t.stored_id is null or ${isOutdated('t')}) and not pg_is_in_recovery() and ${FETCHER_RUNS}`,
  is_nsfw: 'coalesce(f.is_nsfw, false)',
  is_scam: 'coalesce(f.is_scam, false)',
})

/** The master of a listed wallet is described as well. */
const TOKENS = sql.raw(`, wallets as materialized (
    select w.* from jetton_wallets w where w.account_id = any(array(select id from listed))
  ), described as materialized (select id from listed union select jetton_id from wallets
  ), tokens as materialized (
    select i.account_id, 0 as type, i.item_index::text as nft_index, i.content
      from nft_items i where i.account_id = any(array(select id from described))
    union all
    select c.account_id, 1, null, c.content from described d join nft_collections c on c.account_id = d.id
    union all
    select j.account_id, 2, null, j.content from described d join jetton_masters j on j.account_id = d.id
  ), known as materialized (
    select t.account_id, t.type, t.nft_index, m.account_id as stored_id, m.expires_at, m.valid, m.name,
      m.symbol, m.description, m.image, m.extra, case when m.valid then null else t.content end as content,
      coalesce(octet_length(m.description), 0) + coalesce(octet_length(m.image), 0)
        + coalesce(octet_length((case when m.valid then m.extra else t.content end)::text), 0) as bytes
    from tokens t left join address_metadata m on m.account_id = t.account_id and m.type = t.type
      and m.source_hash = sha256(convert_to(coalesce(t.content::text, ''), 'UTF8'))
  ), weighed as (
    select *, bytes > ${LARGE_BYTES} and sum(bytes) over () > ${MAX_BYTES} as is_cut from known
  )`)
const IDS_OF_TOKENS = sql.raw('union select id from described union select owner_id from wallets')
const TOKEN_SELECTS = [
  sql`select ${OF_WALLET} from wallets w`,
  sql`select ${OF_TOKEN} from weighed t
    left join address_metadata_flags f on f.account_id = t.account_id
    left join dns_entries d on d.account_id = t.account_id and t.type = 0`,
]

/**
 * Loads everything for a page in one statement. Token metadata is untrusted, so if all of it is more than
 * 16 MiB, large ones have only what names them. Index: primary keys, and those of `BOOK_TABLES` and `also`.
 */
export async function loadListing(
  db: Db,
  { metadata, also = [], ...accounts }: ListingRequest,
): Promise<ListingRows> {
  const [listed, printed] = [[...accounts.listed], [...accounts.printed]]
  if (listed.length + printed.length + also.length === 0) return NO_ROWS
  const selects = [sql`select ${OF_ACCOUNT} from ${BOOK_TABLES}`, ...(metadata ? TOKEN_SELECTS : []), ...also]
  // Raw: several kinds of rows in one round trip.
  const rows = await LISTING.rows(
    db,
    sql`${KEEP_PLAN} with listed as materialized (select unnest(${listed}::int8[]) as id)
      ${metadata ? TOKENS : sql``}, ids as (
        select unnest(${printed}::int8[]) as id union select id from listed
        ${metadata ? IDS_OF_TOKENS : sql``}
      )
      ${sql.join(selects, sql` union all `)}`,
  )
  const of = (part: number) => rows.filter((row) => row.part === part)
  return {
    accounts: of(PART.account),
    wallets: of(PART.wallet),
    tokens: of(PART.token).sort(byTypeThenAccount).map(toToken),
    receivers: of(PART.receiver),
    senders: of(PART.sender),
    codes: of(PART.code),
  }
}

const byTypeThenAccount = (a: StoredToken, b: StoredToken): number =>
  a.type - b.type || (a.account_id < b.account_id ? -1 : 1)

const toToken = (row: StoredToken): TokenRow => ({ ...row, type: TOKEN_TYPES[row.type] as TokenType })
