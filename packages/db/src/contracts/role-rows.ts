import type { Detected } from '@shardwalk/contracts'
import type { AccountId, RawAddress } from '@shardwalk/model'
import { type RoleKey, TABLES } from '@shardwalk/tables'
import { POOL_ROWS } from './pool-rows.ts'
import type { RoleContext, RoleRow, RoleWriters } from './role-row.ts'
import { SALE_ROWS } from './sale-rows.ts'
import { TOKEN_ROWS } from './token-rows.ts'
import { WALLET_ROWS } from './wallet-rows.ts'

const WRITERS: RoleWriters = { ...TOKEN_ROWS, ...WALLET_ROWS, ...SALE_ROWS, ...POOL_ROWS }

/**
 * Rows for all roles of one state of a contract. Contracts may answer anything: one with a number that its
 * column cannot hold does not have that role.
 */
export function roleRows(
  found: readonly Detected[],
  key: RoleKey,
  idOf: (address: RawAddress) => AccountId,
): RoleRow[] {
  const context: RoleContext = {
    key,
    idOf,
    maybeId: (address) => (address ? idOf(address) : null),
    item: found.find((one) => one.kind === 'nft_item'),
    domain: found.find((one) => one.kind === 'dns_item')?.domain,
  }
  return found.map((one) => write(one, context)).filter(isStorable)
}

/** The writer of a kind takes what is detected as that kind; the compiler cannot see it. */
const write = (found: Detected, context: RoleContext): RoleRow =>
  (WRITERS[found.kind] as (found: Detected, context: RoleContext) => RoleRow)(found, context)

const BITS: Readonly<Record<string, number>> = { int2: 16, int4: 32, int8: 64 }

const isStorable = ({ table, row }: RoleRow): boolean =>
  Object.entries(TABLES[table].columns).every(([name, { type }]) => {
    const value: unknown = (row as Readonly<Record<string, unknown>>)[name]
    const bits = BITS[type]
    if (bits === undefined || (typeof value !== 'number' && typeof value !== 'bigint')) return true
    return BigInt.asIntN(bits, BigInt(value)) === BigInt(value)
  })
