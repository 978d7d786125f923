import { Builder, EMPTY_CELL } from '@shardwalk/cells'
import type { StackValue } from '@shardwalk/contracts'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import type { BlockId, RawAddress } from '@shardwalk/model'
import { type Replay, startReplay } from '@shardwalk/replay'
import { Recording } from '@shardwalk/sources'
import { AccountsWithCode, FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNodeAccess, estimateFee, type NodeAccess } from '../src/index.ts'

/**
 * The configuration contract, which exists from the start. No contract of the sample reads previous blocks,
 * so its code is replaced.
 */
const CONFIG: RawAddress = { workchain: -1, hash: Buffer.alloc(32, 0x55) }
/** The contract of a user; the configuration contract pays no fees. */
const PAYING: RawAddress = {
  workchain: -1,
  hash: Buffer.from('d2117cceeb17c79b21510ef0d3c54e2010d26855a6c518abe037c485ed94626d', 'hex'),
}
const codeOf = (hex: string) => new Builder().storeBytes(Buffer.from(hex, 'hex')).endCell()
/** DROP the method id; PREVMCBLOCKS; PREVKEYBLOCK; PREVMCBLOCKS_100. */
const READS_ALL = '30f83400f83401f83402'

const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
const isKey = (seqno: number) => seqno === 0 || recording.step(seqno)!.block.keyBlock
const idOf = (seqno: number) => (seqno === 0 ? recording.network.zerostate : recording.step(seqno)!.block.id)

let replay: Replay
let pool: LiteServerPool
let node: NodeAccess
let accounts: AccountsWithCode
const tvm = new TvmPool({ threads: 1 })
beforeAll(async () => {
  replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
  const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
  pool = new LiteServerPool({ servers: liteServers, zeroState: zeroState! })
  const proven = createNodeAccess({ pool, tvm, untrustedTvm: tvm, anchor: zeroState })
  accounts = new AccountsWithCode(proven.client, proven.shards)
  node = { ...proven, accounts }
})
afterAll(async () => {
  await pool.close()
  await tvm.close()
  await replay.close()
  await recording.close()
})

const asked = () => replay.queryCounts.get('liteServer.getConfigParams') ?? 0
const run = async (seqno: number | undefined, code = READS_ALL) => {
  accounts.code = codeOf(code)
  const account = await node.accounts.at(await node.blocks.masterchain(seqno), CONFIG)
  return node.getMethods.run({ account, method: 0, args: [] })
}

const int = (value: bigint): StackValue => ({ type: 'int', value })
const tuple = (items: readonly StackValue[]): StackValue => ({ type: 'tuple', items: [...items] })
const hash = (bytes: Buffer): StackValue => int(BigInt(`0x${bytes.toString('hex')}`))
const blockTuple = ({ seqno, rootHash, fileHash }: BlockId): StackValue =>
  tuple([int(-1n), int(1n << 63n), int(BigInt(seqno)), hash(rootHash), hash(fileHash)])
const down = (from: number, step: number) =>
  Array.from({ length: Math.min(16, Math.floor(from / step) + 1) }, (_, i) => from - i * step)

/** Expected values, taken from the recorded blocks. */
function truthAt(seqno: number): StackValue[] {
  const key = Array.from({ length: seqno + 1 }, (_, i) => seqno - i).find(isKey)!
  return [
    tuple(down(seqno, 1).map((number) => blockTuple(idOf(number)))),
    blockTuple(idOf(key)),
    tuple(down(seqno - (seqno % 100), 100).map((number) => blockTuple(idOf(number)))),
  ]
}

describe('a get-method reads the previous blocks at the block where it runs', () => {
  // Start of the chain, both sides of sixteen blocks, a key block, both sides of a multiple of 100, the end.
  test.each([1, 2, 15, 16, 17, 18, 42, 43, 99, 100, 101, 201, 400, 528, 529])(
    'at block %i',
    async (seqno) => {
      expect(await run(seqno)).toMatchObject({ exitCode: 0, stack: truthAt(seqno) })
    },
  )

  test('at the newest block when none is given', async () => {
    expect((await run(undefined)).stack).toEqual(truthAt(529))
  })
})

test('they are fetched once per block, and not for a run that does not read them', async () => {
  const before = asked()
  // NOW; then the same with an exception.
  for (const code of ['30f823', '30f23c']) await run(350, code)
  expect(asked()).toBe(before)
  for (const code of [READS_ALL, '30f83400', '30f83401', '30f82d']) await run(351, code)
  expect(asked()).toBe(before + 1)
})

test('a run that catches the exception of a missing tuple is repeated', async () => {
  // PUSHCONT { PREVKEYBLOCK; INDEX 2 }; PUSHCONT { 2DROP; PUSHINT 0 }; TRY
  expect((await run(352, '3095f834016f12925b70f2ff')).stack).toEqual([int(223n)])
})

describe('a fee estimate', () => {
  /** PREVMCBLOCKS; INDEX 0; INDEX 2; PUSHINT seqno; EQUAL; THROWIFNOT 32; ACCEPT; 1,000 times NOP. */
  const goesBy = (seqno: number) =>
    `f834006f106f1281${seqno.toString(16).padStart(4, '0')}baf2a0f8008103e89100e4`

  test('a contract that depends on the newest block accepts the message', async () => {
    const gasFee = async (seqno: number) => {
      accounts.code = codeOf(goesBy(seqno))
      return (await estimateFee(node, { address: PAYING, body: EMPTY_CELL, ignoreSignatures: true })).gasFee
    }
    expect(await gasFee(529)).toBeGreaterThan(0n)
    expect(await gasFee(528)).toBe(0n)
  })
})
