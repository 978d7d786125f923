import { NOMINATOR_POOL_CODE_HASH } from '@shardwalk/actions'
import type { Detected } from '@shardwalk/contracts'
import type { AccountId, Lt, RawAddress } from '@shardwalk/model'
import type pg from 'pg'
import { FACT_COLUMNS, FACT_ROLES, SELECT_FACTS } from '../facts/fact-rows.ts'
import type { HeldState } from './held-cells.ts'
import type { RoleRow } from './role-row.ts'
import { roleRows } from './role-rows.ts'
import { toJson } from './row-json.ts'

/** What an account was in its last active state. */
export interface Former extends HeldState {
  readonly codeHash: Buffer
  readonly found: readonly Detected[]
}

/** The rows that it would have if it still existed. */
export interface FormerRows {
  readonly lt: Lt
  readonly codeHash: Buffer
  readonly rows: readonly RoleRow[]
}

/** Makes the rows of an ended account from its last active state. `idOf`: id of an address in a role. */
export function formerRows(
  { lt, codeHash, found }: Former,
  accountId: AccountId,
  idOf: (address: RawAddress) => AccountId,
): FormerRows {
  const key = { account_id: accountId, lt, code_hash: codeHash, data_hash: null }
  return { lt, codeHash, rows: roleRows(found, key, idOf) }
}

interface Ended {
  readonly accountId: AccountId
  readonly former: FormerRows | undefined
}

/**
 * Stores what token events and classification need of accounts that no longer exist; removes the rows of
 * active accounts.
 */
export async function writeFormerContracts(client: pg.ClientBase, ended: readonly Ended[]): Promise<void> {
  await client.query('delete from former_contracts where account_id = any ($1::int8[])', [
    ended.map((one) => one.accountId),
  ])
  const contracts = ended.flatMap(({ accountId, former }) =>
    former
      ? [{ account_id: accountId, lt: former.lt, code_hash: former.codeHash, roles: former.rows.length }]
      : [],
  )
  if (contracts.length === 0) return
  const rows = ended.flatMap(({ former }) => former?.rows ?? [])
  const ofTable = (table: string) => rows.filter((one) => one.table === table).map((one) => one.row)
  await client.query(INSERT_FORMER, [
    contracts.map((one) => one.account_id),
    Buffer.from(NOMINATOR_POOL_CODE_HASH, 'base64'),
    toJson(contracts),
    ...FACT_ROLES.map((table) => toJson(ofTable(table))),
  ])
}

/** Common table expression that reads the rows of a role from a JSON parameter. */
const rowsFromJson = (table: string, index: number): string =>
  `${table} as (select * from jsonb_populate_recordset(null::${table}, $${index + 4}::jsonb))`

/**
 * Selects the facts of rows that are not stored in tables: common table expressions take the tables' names.
 */
const INSERT_FORMER = `
  with contracts as (select * from jsonb_populate_recordset(null::contracts, $3::jsonb)),
    ${FACT_ROLES.map(rowsFromJson).join(', ')}
  insert into former_contracts (account_id, lt, ${FACT_COLUMNS.join(', ')})
  select f.account_id, c.lt, ${FACT_COLUMNS.map((column) => `f.${column}`).join(', ')}
  from (${SELECT_FACTS}) f join contracts c using (account_id) order by 1`
