import type {
  JettonBurnsQuery,
  JettonMastersQuery,
  JettonTransfersQuery,
  JettonWalletsQuery,
} from '@shardwalk/api-schema'
import type { JettonMasterRow, JettonWalletRow } from '@shardwalk/db'
import { sql } from 'kysely'
import type { Page, RequestContext } from '../http/route.ts'
import { decodedPayload, eventFacts, NOTHING, payloadText, textOrNull } from './accounts-text.ts'
import { Listing } from './address-book-listing.ts'
import {
  type EventRow,
  type EventSelection,
  eventOrder,
  idsOf,
  listEvents,
  windowConditions,
} from './queries/accounts-events.ts'
import { type KeysetOrder, keysetPage } from './queries/accounts-keyset.ts'
import { all, type Condition } from './queries/sql.ts'

const METADATA = { metadata: true }

/** GET /jetton/masters. */
export async function jettonMasters(context: RequestContext, query: JettonMastersQuery): Promise<Page> {
  const [ids, admins] = [await idsOf(context, query.address), await idsOf(context, query.admin_address)]
  if (ids?.length === 0 || admins?.length === 0) return NOTHING
  const conditions = [
    ...(ids ? [sql`m.account_id = any (${ids}::int8[])`] : []),
    ...(admins ? [sql`m.admin_id = any (${admins}::int8[])`] : []),
  ]
  const order: KeysetOrder<JettonMasterRow> = {
    name: 'jetton-master',
    sort: 'asc',
    columns: [sql`m.account_id`],
    position: (row) => [row.account_id],
  }
  return keysetPage(query, order, {
    read: async ({ after, orderBy, limit, offset }) =>
      (
        await sql<JettonMasterRow>`select * from jetton_masters m where ${all([...conditions, after])}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(context.db)
      ).rows,
    render: async (rows) => {
      const listing = await new Listing(context)
        .list(...rows.flatMap((row) => [row.account_id, row.admin_id]))
        .load(METADATA)
      const items = rows.map((row) =>
        JSON.stringify({
          address: listing.text(row.account_id),
          total_supply: row.total_supply,
          mintable: row.mintable,
          admin_address: listing.maybe(row.admin_id),
          jetton_content: row.content,
          jetton_wallet_code_hash: textOrNull(row.wallet_code_hash),
          code_hash: textOrNull(row.code_hash),
          data_hash: textOrNull(row.data_hash),
          last_transaction_lt: String(row.lt),
        }),
      )
      return { items, fields: listing.fields(METADATA) }
    },
  })
}

interface WalletRow extends JettonWalletRow {
  readonly amount: string | null
  readonly start_from: bigint | null
  readonly expire_at: bigint | null
  readonly uris: readonly string[] | null
}

/** GET /jetton/wallets. */
export async function jettonWallets(context: RequestContext, query: JettonWalletsQuery): Promise<Page> {
  const ids = await idsOf(context, query.address)
  const owners = await idsOf(context, query.owner_address)
  const jettons = await idsOf(context, query.jetton_address)
  if (ids?.length === 0 || owners?.length === 0 || jettons?.length === 0) return NOTHING
  const conditions: Condition[] = []
  if (ids) conditions.push(sql`w.account_id = any (${ids}::int8[])`)
  if (owners) conditions.push(sql`w.owner_id = any (${owners}::int8[])`)
  if (jettons) conditions.push(sql`w.jetton_id = any (${jettons}::int8[])`)
  if (query.exclude_zero_balance)
    conditions.push(sql`(w.balance > 0 or (c.amount > 0 and w.is_claimed is distinct from true))`)
  return keysetPage(query, walletOrder(query), {
    read: async ({ after, orderBy, limit, offset }) =>
      (
        await sql<WalletRow>`
          select w.*, c.amount, c.start_from, c.expire_at, j.custom_payload_api_uri as uris from jetton_wallets w
          left join mintless_claims c on c.wallet_id = w.account_id
          left join mintless_jettons j on j.jetton_id = w.jetton_id
          where ${all([...conditions, after])} order by ${orderBy} limit ${limit} offset ${offset}`.execute(
          context.db,
        )
      ).rows,
    render: (rows) => renderWallets(context, rows),
  })
}

/** Several owners: one after the other; within an owner, or one jetton, by balance when a direction is given, else by address. */
function walletOrder({
  sort,
  owner_address,
  jetton_address,
  address,
}: JettonWalletsQuery): KeysetOrder<WalletRow> {
  const byOwner = owner_address !== undefined && (jetton_address?.length ?? 0) !== 1
  const byBalance = sort !== undefined && (byOwner || jetton_address !== undefined || address === undefined)
  return {
    name: `jetton-wallet${byOwner ? '-owner' : ''}${byBalance ? '-balance' : ''}`,
    sort: byBalance && sort ? sort : 'asc',
    columns: [
      ...(byOwner ? [sql`w.owner_id`] : []),
      ...(byBalance ? [sql`w.balance`] : []),
      sql`w.account_id`,
    ],
    position: (row) => [
      ...(byOwner ? [row.owner_id] : []),
      ...(byBalance ? [row.balance] : []),
      row.account_id,
    ],
  }
}

async function renderWallets(context: RequestContext, rows: readonly WalletRow[]): Promise<Page> {
  const listing = await new Listing(context)
    .list(...rows.flatMap((row) => [row.account_id, row.owner_id, row.jetton_id]))
    .load(METADATA)
  const seconds = (value: bigint | null) => (value === null ? null : Number(value))
  const items = rows.map((row) =>
    JSON.stringify({
      address: listing.text(row.account_id),
      balance: row.balance,
      owner: listing.text(row.owner_id),
      jetton: listing.text(row.jetton_id),
      last_transaction_lt: String(row.lt),
      code_hash: textOrNull(row.code_hash),
      data_hash: textOrNull(row.data_hash),
      ...(row.amount !== null &&
        row.is_claimed !== true && {
          mintless_info: {
            amount: row.amount,
            start_from: seconds(row.start_from),
            expire_at: seconds(row.expire_at),
            custom_payload_api_uri: row.uris,
          },
        }),
    }),
  )
  return { items, fields: listing.fields(METADATA) }
}

interface TransferRow extends EventRow {
  readonly source_id: bigint
  readonly destination_id: bigint | null
  readonly jetton_id: bigint
  readonly amount: string
  readonly forward_amount: string
}

/** GET /jetton/transfers: what the sender's wallet accepted. */
export async function jettonTransfers(context: RequestContext, query: JettonTransfersQuery): Promise<Page> {
  const columns =
    query.direction === 'in'
      ? ['destination_id']
      : query.direction === 'out'
        ? ['source_id']
        : ['source_id', 'destination_id']
  const selection = await selectEvents(context, 'jetton_transfers', { ...query, columns })
  if (!selection) return NOTHING
  return keysetPage(query, eventOrder<TransferRow>('jetton-transfer', query), {
    read: (slice) => listEvents<TransferRow>(context.db, selection, slice),
    render: async (rows) => {
      const listing = await new Listing(context)
        .list(
          ...rows.flatMap((row) => [
            row.source_id,
            row.destination_id,
            row.account_id,
            row.jetton_id,
            row.response_id,
          ]),
        )
        .load(METADATA)
      const items = rows.map((row) =>
        JSON.stringify({
          query_id: row.query_id,
          source: listing.text(row.source_id),
          destination: listing.maybe(row.destination_id),
          amount: row.amount,
          source_wallet: listing.text(row.account_id),
          jetton_master: listing.text(row.jetton_id),
          ...eventFacts(row),
          response_destination: listing.maybe(row.response_id),
          custom_payload: payloadText(row.custom_payload),
          decoded_custom_payload: decodedPayload(row.custom_payload),
          forward_ton_amount: row.forward_amount,
          forward_payload: payloadText(row.forward_payload),
          decoded_forward_payload: decodedPayload(row.forward_payload),
          trace_id: textOrNull(row.trace_id),
        }),
      )
      return { items, fields: listing.fields(METADATA) }
    },
  })
}

interface BurnRow extends EventRow {
  readonly owner_id: bigint
  readonly jetton_id: bigint
  readonly amount: string
}

/** GET /jetton/burns. */
export async function jettonBurns(context: RequestContext, query: JettonBurnsQuery): Promise<Page> {
  const selection = await selectEvents(context, 'jetton_burns', { ...query, columns: ['owner_id'] })
  if (!selection) return NOTHING
  return keysetPage(query, eventOrder<BurnRow>('jetton-burn', query), {
    read: (slice) => listEvents<BurnRow>(context.db, selection, slice),
    render: async (rows) => {
      const listing = await new Listing(context)
        .list(...rows.flatMap((row) => [row.owner_id, row.account_id, row.jetton_id, row.response_id]))
        .load(METADATA)
      const items = rows.map((row) =>
        JSON.stringify({
          query_id: row.query_id,
          owner: listing.text(row.owner_id),
          jetton_wallet: listing.text(row.account_id),
          jetton_master: listing.text(row.jetton_id),
          ...eventFacts(row),
          amount: row.amount,
          response_destination: listing.maybe(row.response_id),
          custom_payload: payloadText(row.custom_payload),
          decoded_custom_payload: decodedPayload(row.custom_payload),
          trace_id: textOrNull(row.trace_id),
        }),
      )
      return { items, fields: listing.fields(METADATA) }
    },
  })
}

type JettonEvents = (JettonTransfersQuery | JettonBurnsQuery) & { readonly columns: readonly string[] }

/** Undefined: nothing can match. */
async function selectEvents(
  context: RequestContext,
  table: EventSelection['table'],
  query: JettonEvents,
): Promise<EventSelection | undefined> {
  const owners = await idsOf(context, query.owner_address ?? query.address)
  const wallets = await idsOf(context, query.jetton_wallet)
  const jettons = await idsOf(context, query.jetton_master && [query.jetton_master])
  if ([owners, wallets, jettons].some((ids) => ids?.length === 0)) return undefined
  const conditions = windowConditions(query)
  if (wallets) conditions.push(sql`e.account_id = any (${wallets}::int8[])`)
  if (jettons) conditions.push(sql`e.jetton_id = any (${jettons}::int8[])`)
  const by = owners
    ? { columns: query.columns, ids: owners }
    : wallets
      ? { columns: ['account_id'], ids: wallets }
      : jettons && { columns: ['jetton_id'], ids: jettons }
  return { table, by, conditions }
}
