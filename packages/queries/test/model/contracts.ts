import type { Row, TableName } from '@shardwalk/db'
import type pg from 'pg'
import type { Dice } from './dice.ts'
import { insertRows } from './insert-rows.ts'

/** Whatever a list of contracts names: among them accounts of workchains that do not exist. */
export const PARTIES = [-3n, -2n, 5n, 6n, 7n, 8n, 2n ** 63n - 1n] as const
const OTHER_WORKCHAINS: ReadonlyMap<bigint, number> = new Map([
  [7n, 5],
  [-2n, -128],
])

/** As wide as the index of an item may be, with ties. */
const BIG = 2n ** 256n - 1n
const HASHES = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
const NAMES = ['a', 'b', 'B', 'a-b', 'ab-', '~', 'z~z', 'ä', '𝕒', 'x'.repeat(126), 'long'.repeat(31)]

/** Accounts of contracts, in an order that is not theirs. */
const contractIds = (dice: Dice): readonly bigint[] =>
  Array.from({ length: 41 }, (_, n) => BigInt(((n * 17) % 41) - 20)).filter(() => dice.chance(0.9))

/** Writes contracts of every listed kind, and token events with their transactions, from the dice. */
export async function insertContracts(pool: pg.Pool, dice: Dice): Promise<void> {
  const { chance, maybe, pick, some, upTo } = dice
  const party = () => pick(PARTIES)
  const orNone = <T>(make: () => T) => maybe(0.8, make) ?? null
  const insert = (table: TableName, make: () => object) =>
    insertRows(
      pool,
      table,
      contractIds(dice).map((account_id) => ({ account_id, lt: BigInt(upTo(9)), ...make() })),
    )
  const ids = Array.from({ length: 41 }, (_, n) => BigInt(n - 20))
  const accounts = [...new Set([...PARTIES, ...ids])].map((id) => ({
    id,
    workchain: OTHER_WORKCHAINS.get(id) ?? (id < 0n ? -1 : 0),
  }))
  await insertRows(pool, 'accounts', accounts)
  await insert('jetton_masters', () => ({ admin_id: orNone(party) }))
  await insert('nft_collections', () => ({ owner_id: orNone(party) }))
  await insert('vesting_contracts', () => ({
    ...{ owner_id: party(), sender_id: party(), whitelist: some(PARTIES, 0.2) },
  }))
  await insert('multisig_wallets', () => ({ signers: some(PARTIES), proposers: some(PARTIES, 0.2) }))
  await insert('multisig_orders', () => ({
    ...{ multisig_id: party(), signers: some(PARTIES), order_seqno: String(upTo(4)) },
    order_boc: Buffer.alloc(upTo(30)),
  }))
  await insert('dns_entries', () => ({
    ...{
      wallet_id: orNone(party),
      owner_id: orNone(party),
      domain: `${pick(NAMES)}.${pick(['ton', 't.me'])}`,
    },
  }))
  await insert('jetton_wallets', () => ({
    ...{ owner_id: party(), jetton_id: pick(PARTIES.slice(0, 3)), is_claimed: pick([true, false, null]) },
    // Greater than 2^63, with ties.
    balance: chance(0.3) ? '0' : String(2n ** 70n + BigInt(upTo(5))),
  }))
  await insertClaims(pool, dice)
  await insert('nft_items', () => {
    const owner_id = orNone(party)
    return {
      ...{ owner_id, real_owner_id: chance(0.7) ? owner_id : party() },
      collection_id: maybe(0.7, () => pick([...PARTIES.slice(0, 3), 2n ** 63n - 1n])) ?? null,
      item_index: String(chance(0.3) ? BIG - BigInt(upTo(3)) : upTo(12)),
    }
  })
  await insert('nft_sales', () => ({ nft_id: BigInt(upTo(41) - 20) }))
  await insert('nft_auctions', () => ({ nft_id: BigInt(upTo(41) - 20) }))
  await insert('telemint_items', () => ({}))
  const balances = [0n, 5n, 9n, 10n, 12n, 99n, 100n, 129n, 2n ** 62n, 2n ** 63n - 1n]
  await insert('latest_account_states', () => ({
    balance: pick(balances),
    code_hash: orNone(() => pick(HASHES)),
  }))
  await insertEvents(pool, dice)
}

async function insertClaims(pool: pg.Pool, { chance, upTo }: Dice): Promise<void> {
  const wallets = await rowsOf(pool, 'jetton_wallets')
  const claims = wallets.filter(() => chance(0.4))
  await insertRows(
    pool,
    'mintless_claims',
    claims.map(({ account_id, owner_id, jetton_id }) => ({
      ...{ wallet_id: account_id, owner_id, jetton_id, amount: String(upTo(2)) },
    })),
  )
}

/** Several at the same lt, in partitions that have one transaction or two. */
async function insertEvents(pool: pg.Pool, { chance, maybe, pick, upTo, hash }: Dice): Promise<void> {
  const party = () => pick(PARTIES)
  for (let from = 0; from < 30; from += 3)
    await pool.query('select create_lt_partition($1, $2, $3)', ['transactions', from, from + 3])
  const keys = new Map(
    Array.from({ length: 120 }, () => {
      const key = { account_id: party(), lt: BigInt(upTo(30)) }
      return [`${key.account_id} ${key.lt}`, key] as const
    }),
  )
  const transactions = [...keys.values()].map((key) => ({
    ...key,
    now: (100 + Number(key.lt) / 2) | 0,
    hash: hash(),
  }))
  await insertRows(pool, 'transactions', transactions)
  const events = () =>
    transactions
      .filter(() => chance(0.7))
      .map(({ hash: _, ...event }) => ({ ...event, aborted: chance(0.2), confirmed: chance(0.8) }))
  const orNone = () => maybe(0.8, party) ?? null
  await insertRows(
    pool,
    'jetton_transfers',
    events().map((event) => ({
      ...{ ...event, source_id: party(), destination_id: orNone(), jetton_id: party() },
    })),
  )
  await insertRows(
    pool,
    'jetton_burns',
    events().map((event) => ({ ...event, owner_id: party(), jetton_id: party() })),
  )
  await insertRows(
    pool,
    'nft_transfers',
    events().map((event) => ({
      ...{ ...event, old_owner_id: party(), new_owner_id: orNone(), collection_id: orNone() },
    })),
  )
}

/** All rows of a table. */
export const rowsOf = async <Name extends TableName>(pool: pg.Pool, table: Name): Promise<Row<Name>[]> =>
  (await pool.query(`select * from ${table}`)).rows as Row<Name>[]
