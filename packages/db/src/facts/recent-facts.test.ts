import type { Address, OpenTrace } from '@shardwalk/actions'
import { deriveAccountId } from '@shardwalk/model'
import type { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import type { Db } from '../database.ts'
import { parseRaw } from './addresses.ts'
import { RecentFacts } from './recent-facts.ts'

const [WALLET, OTHER, NEVER_SEEN] = ['A1', 'B2', 'C3'].map((byte) => `0:${byte.repeat(32)}`) as [
  Address,
  Address,
  Address,
]
const idOf = (address: Address) => deriveAccountId(parseRaw(address))

/** Tables in which WALLET is a nominator pool and OTHER is nothing. `asked`: accounts by statement. */
function tables() {
  const asked: Address[][] = []
  const executeQuery = async ({ sql, parameters }: CompiledQuery) => {
    const ids = parameters[0] as readonly bigint[]
    if (!sql.includes('from contracts')) {
      const found = [WALLET, OTHER].filter((address) => ids.includes(idOf(address)))
      const row = (address: Address) => {
        const { workchain, hash } = parseRaw(address)
        return { id: idOf(address), workchain, address: hash }
      }
      return { rows: found.map(row) }
    }
    asked.push([WALLET, OTHER].filter((address) => ids.includes(idOf(address))))
    const known = ids.includes(idOf(WALLET))
    return { rows: known ? [{ ...NOTHING, account_id: idOf(WALLET), is_nominator_pool: true }] : [] }
  }
  return { asked, db: { executeQuery } as unknown as Db }
}
const NAMES = 'wallet_owner_id jetton_id item_index sale_price auction_bid multisig_id signers collection_id'
const OTHERS = 'sale_marketplace_id sale_nft_id sale_owner_id auction_marketplace_id auction_nft_id'
const REST = 'auction_owner_id asset_1_id asset_2_id code_hash uri is_pool is_domain'
const NOTHING = Object.fromEntries(`${NAMES} ${OTHERS} ${REST}`.split(' ').map((name) => [name, null]))

const traceWith = (...addresses: readonly Address[]) =>
  ({ factsWanted: () => ({ accounts: new Set(addresses), data: new Set() }) }) as unknown as OpenTrace
const KNOWN = { facts: new Map(), settled: new Set<Address>() }

test('what was read a moment ago is not read again, and later it is', async () => {
  let now = 0
  const { asked, db } = tables()
  const facts = new RecentFacts(db, () => now)
  const first = await facts.of(traceWith(WALLET, OTHER), KNOWN)
  expect([...first]).toEqual([[WALLET, { nominatorPool: true }]])
  now = 1_999
  expect(await facts.of(traceWith(OTHER, WALLET, NEVER_SEEN), KNOWN)).toEqual(first)
  now = 2_000
  expect(await facts.of(traceWith(WALLET), KNOWN)).toEqual(first)
  expect(asked).toEqual([[WALLET, OTHER], [WALLET]])
})

test('nothing is read of accounts about which there is nothing to know', async () => {
  const { asked, db } = tables()
  const settled = new Set([WALLET])
  const found = await new RecentFacts(db).of(traceWith(WALLET), { facts: new Map(), settled })
  expect([found.size, asked]).toEqual([0, []])
})
