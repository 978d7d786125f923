import type { AccountId } from '@shardwalk/model'
import type pg from 'pg'

/** The role that an account's token events belong to: the current one, or that of its last active state. */
const TOKENS_OF = `
  select i.id as account_id, coalesce(w.jetton_id, f.jetton_id) as jetton_id,
    n.account_id is not null or f.item_index is not null as is_item,
      coalesce(n.collection_id, f.collection_id) as collection_id
  from unnest($1::int8[]) as i(id) left join jetton_wallets w on w.account_id = i.id
    and w.code_hash is not null left join nft_items n on n.account_id = i.id
  left join former_contracts f on f.account_id = i.id`

/** What an account is to tokens: wallet of a jetton, item, item of a collection. */
export interface Tokens {
  readonly account_id: AccountId
  readonly jetton_id: AccountId | null
  readonly is_item: boolean
  readonly collection_id: AccountId | null
}

/**
 * The tokens of accounts by id: the jetton of a wallet, the collection of an item. Accounts that are neither
 * are absent.
 */
export async function readTokens(
  client: pg.ClientBase,
  ids: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, Tokens>> {
  const { rows } = await client.query<Tokens>(TOKENS_OF, [ids])
  return new Map(rows.map((row) => [row.account_id, row]))
}

/**
 * Sets `confirmed` and the token of events for accounts whose role changed. An account that is neither a
 * wallet nor an item has no confirmed events.
 */
export async function confirmEvents(
  client: pg.ClientBase,
  before: ReadonlyMap<AccountId, Tokens>,
  ids: readonly AccountId[],
): Promise<void> {
  const now = [...(await readTokens(client, ids)).values()]
  const changed = (one: Tokens, key: keyof Tokens) => one[key] !== before.get(one.account_id)?.[key]
  const wallets = now.filter((one) => changed(one, 'jetton_id')).map((one) => one.account_id)
  const items = now
    .filter((one) => changed(one, 'is_item') || changed(one, 'collection_id'))
    .map((one) => one.account_id)
  for (const table of ['jetton_transfers', 'jetton_burns'])
    if (wallets.length > 0)
      await client.query(
        `update ${table} e set confirmed = o.jetton_id is not null, jetton_id = o.jetton_id
          from (${TOKENS_OF}) o
         where e.account_id = o.account_id`,
        [wallets],
      )
  if (items.length > 0)
    await client.query(
      `update nft_transfers e set confirmed = o.is_item, collection_id = o.collection_id from (${TOKENS_OF}) o
       where e.account_id = o.account_id`,
      [items],
    )
}
