import { ACCOUNT_STATUS, type AccountId, type AccountStateAfter, type RawAddress } from '@shardwalk/model'
import type pg from 'pg'
import { extraCurrenciesJson } from '../rows/message-row.ts'
import { withNumbering } from '../writing/numbering.ts'

/** An account of a zerostate. */
export interface SeedState {
  readonly address: RawAddress
  readonly state: AccountStateAfter
  /** Hash of its Account cell. */
  readonly stateHash: Buffer
  /** gen_utime of the zerostate. */
  readonly timestamp: number
}

/**
 * Writes accounts that exist since genesis as states with lt 0, so that any block overrides them. May be
 * repeated. Without them, accounts never touched by a transaction would be missing from rankings and could
 * not confirm contracts.
 */
export async function seedStates(pool: pg.Pool, seeds: readonly SeedState[]): Promise<void> {
  await withNumbering(pool, async (client, { idOf, insert }) => {
    const rows = seeds
      .map((seed) => ({ ...seed, id: idOf(seed.address) }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    await insert()
    for (const row of rows) await seedOne(client, row)
  })
}

const NO_TRANSACTION = Buffer.alloc(32)
const ACTIVE = ACCOUNT_STATUS.indexOf('active')

/** The genesis may be indexed after blocks whose states lack what is in its data. */
const REQUEUE_MISSING = `
  with due as (delete from missing_states where account_id = $1 returning account_id)
  insert into refresh_queue (account_id, lt)
  select account_id, s.lt from due join latest_account_states s using (account_id)
  on conflict (account_id) do nothing`

async function seedOne(
  client: pg.ClientBase,
  { id, state, stateHash, timestamp }: SeedState & { id: AccountId },
) {
  const { codeHash, code, dataHash, data } = state
  const inserted = await client.query(
    `insert into latest_account_states
       (account_id, lt, balance, mc_seqno, timestamp, status, state_hash, last_trans_hash, code_hash,
         data_hash, frozen_hash, extra_currencies)
     values ($1, 0, $2, 0, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (account_id) do nothing`,
    [
      id,
      state.balance,
      timestamp,
      ACCOUNT_STATUS.indexOf(state.status),
      stateHash,
      NO_TRANSACTION,
      codeHash ?? null,
      dataHash ?? null,
      state.frozenHash ?? null,
      extraCurrenciesJson(state.extraCurrencies) ?? null,
    ],
  )
  // Code is stored even if the state is outdated, because later states refer to it by hash.
  if (codeHash && code)
    await client.query(
      'insert into codes (code_hash, boc) values ($1, $2) on conflict (code_hash) do nothing',
      [codeHash, code],
    )
  for (const library of state.libraries ?? [])
    await client.query(
      'insert into codes (code_hash, boc) values ($1, $2) on conflict (code_hash) do nothing',
      [library.hash, library.code],
    )
  // Stored as well, because later states refer to its cells, unless the account's end was examined.
  if (dataHash && data) {
    const stored = await client.query(
      `insert into contract_data (account_id, lt, data_hash, boc)
       select $1, 0, $2, $3 where not exists (select from account_data where account_id = $1)
         and (exists (select from latest_account_states where account_id = $1 and status = ${ACTIVE})
           or exists (select from refresh_queue where account_id = $1)
           or exists (select from missing_states where account_id = $1))
       on conflict (account_id) do nothing`,
      [id, dataHash, data],
    )
    if (stored.rowCount === 1) await client.query(REQUEUE_MISSING, [id])
  }
  if (inserted.rowCount === 0 || state.status !== 'active') return
  await client.query(
    'insert into refresh_queue (account_id, lt) values ($1, 0) on conflict (account_id) do nothing',
    [id],
  )
}
