import {
  ACCOUNT_STATUS,
  type AccountId,
  type AccountStateAfter,
  type Lt,
  type RawAddress,
} from '@shardwalk/model'
import type pg from 'pg'
import { extraCurrenciesJson } from '../rows/message-row.ts'
import { withNumbering } from '../writing/numbering.ts'

/** An account that no indexed block has touched: of a zerostate, or as the network has it. */
export interface SeedState {
  readonly address: RawAddress
  readonly state: AccountStateAfter
  /** Hash of its Account cell. */
  readonly stateHash: Buffer
  /** Of its last transaction; absent: it had none. */
  readonly last?: { readonly lt: Lt; readonly hash: Buffer }
  /** gen_utime of the zerostate; 0: not known. */
  readonly timestamp: number
}

/**
 * Writes accounts unless they have a state. Their masterchain seqno is 0; any block that touched or touches
 * them overrides them. May be repeated. Without those of zerostates, accounts never touched by a transaction
 * would be missing from rankings and could not confirm contracts.
 */
export async function seedStates(pool: pg.Pool, seeds: readonly SeedState[]): Promise<void> {
  if (seeds.length === 0) return
  await withNumbering(pool, async (client, { idOf, insert }) => {
    const rows = seeds
      .map((seed) => ({ ...seed, id: idOf(seed.address), lt: seed.last?.lt ?? 0n }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    await insert()
    // States, then codes, each in the order of batches.
    const added = new Set<AccountId>()
    for (const row of rows) if (await insertState(client, row)) added.add(row.id)
    await insertCodes(client, rows)
    for (const row of rows) if (!row.last || added.has(row.id)) await insertData(client, row)
    for (const { id, lt, state } of rows)
      if (added.has(id) && state.status === 'active')
        await client.query(
          `insert into refresh_queue (account_id, lt) values ($1, $2) on conflict (account_id) do nothing`,
          [id, lt],
        )
  })
}

type Seed = SeedState & { readonly id: AccountId; readonly lt: Lt }

const NO_TRANSACTION = Buffer.alloc(32)
const ACTIVE = ACCOUNT_STATUS.indexOf('active')

/** False: the account has a state. */
async function insertState(
  client: pg.ClientBase,
  { id, lt, state, stateHash, last, timestamp }: Seed,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into latest_account_states
       (account_id, lt, balance, mc_seqno, timestamp, status, state_hash, last_trans_hash, code_hash,
         data_hash, frozen_hash, extra_currencies)
     values ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (account_id) do nothing`,
    [
      id,
      lt,
      state.balance,
      timestamp,
      ACCOUNT_STATUS.indexOf(state.status),
      stateHash,
      last?.hash ?? NO_TRANSACTION,
      state.codeHash ?? null,
      state.dataHash ?? null,
      state.frozenHash ?? null,
      extraCurrenciesJson(state.extraCurrencies) ?? null,
    ],
  )
  return rowCount === 1
}

/** Also of states that are outdated, because later ones refer to codes by hash. */
async function insertCodes(client: pg.ClientBase, seeds: readonly Seed[]): Promise<void> {
  const codes = seeds.flatMap(({ state: { codeHash, code, libraries = [] } }) => [
    ...(codeHash && code ? [{ hash: codeHash, code }] : []),
    ...libraries,
  ])
  codes.sort((a, b) => Buffer.compare(a.hash, b.hash))
  for (const { hash, code } of codes)
    await client.query(
      'insert into codes (code_hash, boc) values ($1, $2) on conflict (code_hash) do nothing',
      [hash, code],
    )
}

/** The genesis may be indexed after blocks whose states lack what is in its data. */
const REQUEUE_MISSING = `
  with due as (delete from missing_states where account_id = $1 returning account_id)
  insert into refresh_queue (account_id, lt)
  select account_id, s.lt from due join latest_account_states s using (account_id)
  on conflict (account_id) do nothing`

/** Later states refer to its cells, unless the account's end was examined. */
async function insertData(client: pg.ClientBase, { id, lt, state: { dataHash, data } }: Seed): Promise<void> {
  if (!dataHash || !data) return
  const stored = await client.query(
    `insert into contract_data (account_id, lt, data_hash, boc)
     select $1, $4, $2, $3 where not exists (select from account_data where account_id = $1)
       and (exists (select from latest_account_states where account_id = $1 and status = ${ACTIVE})
         or exists (select from refresh_queue where account_id = $1)
         or exists (select from missing_states where account_id = $1))
     on conflict (account_id) do nothing`,
    [id, dataHash, data, lt],
  )
  if (stored.rowCount === 1) await client.query(REQUEUE_MISSING, [id])
}
