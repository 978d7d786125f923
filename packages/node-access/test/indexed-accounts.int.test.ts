import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import type { RawAddress } from '@shardwalk/model'
import { type Replay, startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER, type ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { swept } from '@shardwalk/testkit/runs'
import { TvmPool } from '@shardwalk/tvm'
import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNodeAccess, type NodeAccess } from '../src/index.ts'

let scratch: ScratchDatabase
let replay: Replay
let pool: LiteServerPool
const tvm = new TvmPool()
beforeAll(async () => {
  scratch = await classifiedChain()
  replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
  const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
  pool = new LiteServerPool({ servers: liteServers, zeroState: zeroState! })
})
afterAll(async () => {
  await pool?.close()
  await tvm.close()
  await replay?.close()
  await scratch?.close()
})

/** wallet-v4r2 of the sample, which has transactions after block 300. */
const WALLET = {
  workchain: 0,
  hash: Buffer.from('8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e', 'hex'),
}

/** With empty caches. */
const openNode = (): NodeAccess => createNodeAccess({ pool, tvm, untrustedTvm: tvm, db: scratch.db })

async function accounts(): Promise<readonly RawAddress[]> {
  const { rows } = await scratch.pool.query<{ workchain: number; address: Buffer }>(
    'select workchain, address from accounts join latest_account_states on id = account_id order by id',
  )
  return rows.map(({ workchain, address }) => ({ workchain, hash: address }))
}

const statesAsked = () => replay.queryCounts.get('liteServer.getAccountState') ?? 0

test('accounts rebuilt from the index are those of the lite server, and most can be', async () => {
  const node = openNode()
  const head = await node.blocks.masterchain()
  const all = swept(await accounts(), 8)
  for (const address of all) {
    const { cell, lastTransLt, lastTransHash } = await node.accounts.cellAt(head, address)
    const proven = await node.accounts.at(head, address)
    expect(cell?.hash()).toEqual(proven.cell?.hash())
    expect({ lastTransLt, lastTransHash }).toEqual({
      lastTransLt: proven.lastTransLt,
      lastTransHash: proven.lastTransHash,
    })
  }
  const { index, liteServers } = node.accounts.cellCounts
  expect(index + liteServers).toBe(all.length)
  expect(index).toBeGreaterThan(0.8 * all.length)
})

test('a state is asked for once, and not at all if the index has it', async () => {
  const node = openNode()
  const head = await node.blocks.masterchain()
  const before = statesAsked()
  await Promise.all(Array.from({ length: 20 }, () => node.accounts.cellAt(head, WALLET)))
  expect([statesAsked() - before, node.accounts.cellCounts]).toEqual([0, { index: 1, liteServers: 0 }])
  // The index has only the newest state.
  const earlier = await node.blocks.masterchain(20)
  await Promise.all(Array.from({ length: 20 }, () => node.accounts.cellAt(earlier, WALLET)))
  expect([statesAsked() - before, node.accounts.cellCounts]).toEqual([1, { index: 1, liteServers: 1 }])
})

test.each([
  ['a balance is wrong', 'update latest_account_states set balance = balance + 1'],
  ['code is missing', 'delete from codes'],
  ['the last transaction is missing', 'delete from transactions'],
  ['the masterchain block is another', `update blocks set root_hash = '\\x00' where workchain = -1`],
  ['blocks are not indexed', 'update indexed_ranges set to_seqno = to_seqno - 1'],
  [
    'a block is in quarantine',
    `insert into quarantine (workchain, shard, seqno, root_hash, file_hash, mc_seqno, kind, hash, error,
      tried_with) values (0, 0, 1, '', '', 529, 'block', '', '', '')`,
  ],
  ['there are no tables', 'alter table latest_account_states rename to elsewhere'],
])('lite servers are asked if %s', async (_what, change) => {
  expect(await countsAfter(change)).toEqual({ index: 0, liteServers: 1 })
})

test('no lite server is asked if nothing is wrong', async () => {
  expect(await countsAfter('select 1')).toEqual({ index: 1, liteServers: 0 })
})

/** Where the wallet is found in a database that is changed like this for the moment. */
async function countsAfter(change: string) {
  const client = await scratch.pool.connect()
  // One connection, whose changes are undone.
  const db = new Kysely({
    dialect: new PostgresDialect({
      pool: {
        connect: async () => ({ query: client.query.bind(client), release() {} }),
        end: async () => {},
      } as never,
    }),
  })
  try {
    await client.query('begin')
    await client.query(change)
    const node = createNodeAccess({ pool, tvm, untrustedTvm: tvm, db: db as never })
    const head = await node.blocks.masterchain()
    const { cell } = await node.accounts.cellAt(head, WALLET)
    expect(cell?.hash()).toEqual((await node.accounts.at(head, WALLET)).cell?.hash())
    return node.accounts.cellCounts
  } finally {
    await client.query('rollback')
    client.release()
  }
}
