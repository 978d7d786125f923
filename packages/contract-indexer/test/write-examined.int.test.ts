import type { Detected } from '@shardwalk/contracts'
import type { Examined } from '@shardwalk/db'
import type { RawAddress } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { writeExamined } from '../src/write-examined.ts'

let scratch: ScratchDatabase

beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

beforeEach(async () => {
  await scratch.pool.query(
    'truncate accounts, contracts, former_contracts, latest_account_states, refresh_queue',
  )
  for (const id of [7, 8]) {
    await scratch.pool.query(
      `insert into accounts (id, workchain, address, activity) values ($1, 0, $2, '')`,
      [id, addressOf(id).hash],
    )
    await scratch.pool.query('insert into refresh_queue (account_id, lt) values ($1, 30)', [id])
  }
})

const addressOf = (byte: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, byte) })
const CODE = Buffer.alloc(32, 9)

const destroyed = (id: number, found: readonly Detected[]): Examined => ({
  accountId: BigInt(id) as Examined['accountId'],
  address: addressOf(id),
  queuedLt: 30n as Examined['lt'],
  requeues: 0,
  lt: 30n as Examined['lt'],
  codeHash: null,
  dataHash: null,
  found: [],
  asked: [],
  former: { lt: 20n as Examined['lt'], codeHash: CODE, dataHash: null, found },
})

const SALE: Detected = {
  kind: 'nft_sale',
  version: 'v4',
  nft: addressOf(1),
  nftOwner: addressOf(2),
  marketplace: addressOf(3),
  marketplaceFeeAddress: addressOf(4),
  royaltyAddress: addressOf(5),
  createdAt: 2 ** 200,
  isComplete: false,
  isFactor: false,
  fullPrice: 1n,
  marketplaceFee: 1n,
  royalty: 1n,
}

const masterNamed = (name: string): Detected => ({
  ...{ kind: 'jetton_master', totalSupply: 2n ** 256n, mintable: true, admin: undefined },
  content: { layout: 'onchain', attributes: new Map([['name', name]]), unknown: new Map(), truncated: [] },
  ...{ walletCodeHash: CODE, airdropRoot: undefined },
})

const write = (examined: readonly Examined[]) =>
  writeExamined({ pool: scratch.pool, log: { warn: () => {} } }, examined)

async function idsIn(table: 'refresh_queue' | 'contracts'): Promise<unknown[]> {
  const { rows } = await scratch.pool.query<{ account_id: bigint }>(
    `select account_id from ${table} order by account_id`,
  )
  return rows.map((row) => row.account_id)
}

test('a destroyed contract whose answers no column can hold is written as unknown', async () => {
  const unstorable = masterNamed('\ud800')
  expect(await write([destroyed(7, [SALE, unstorable]), destroyed(8, [])])).toEqual([])
  expect(await idsIn('refresh_queue')).toEqual([])
  expect(await idsIn('contracts')).toEqual([7n, 8n])
})

test('a role with a number that no column can hold is left out, and the others are kept', async () => {
  const multisig: Detected = {
    ...{ kind: 'multisig', nextOrderSeqno: -1n, threshold: 2 ** 31, signers: [], proposers: [] },
  }
  const { former: _, ...ended } = destroyed(7, [])
  expect(await write([{ ...ended, codeHash: CODE, found: [SALE, masterNamed('A'), multisig] }])).toEqual([])
  const { rows } = await scratch.pool.query('select total_supply from jetton_masters where account_id = 7')
  expect(rows).toEqual([{ total_supply: String(2n ** 256n) }])
  const others = await scratch.pool.query(
    'select account_id from nft_sales union all select account_id from multisig_wallets',
  )
  expect(others.rows).toEqual([])
})

test('one that cannot even be written as unknown is set aside, and the next one is written', async () => {
  const refused = await write([{ ...destroyed(7, []), missing: 'a\0b' }, destroyed(8, [])])
  expect(refused.map((one) => one.accountId)).toEqual([7n])
  expect(await idsIn('refresh_queue')).toEqual([7n])
  expect(await idsIn('contracts')).toEqual([8n])
})
