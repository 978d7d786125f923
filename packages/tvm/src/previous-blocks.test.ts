import { Builder, type Cell, EMPTY_CELL, parseRoot, serializeBoc, sliceToCell } from '@shardwalk/cells'
import type { StackValue } from '@shardwalk/contracts'
import { type BlockId, FULL_SHARD, MASTERCHAIN, type PreviousBlocks } from '@shardwalk/model'
import { activeAccount, fixtureZerostate } from '@shardwalk/testkit'
import { loadAccount, loadMcStateExtra, loadShardState } from '@shardwalk/tlb'
import { afterAll, describe, expect, test } from 'vitest'
import { type GetMethodCall, slimConfig, TvmPool } from './index.ts'

const pool = new TvmPool({ threads: 1, timeoutMs: 30_000, cacheSize: 0 })
afterAll(() => pool.close())

const zerostate = loadShardState(parseRoot(await fixtureZerostate()).slice())
const config = sliceToCell(loadMcStateExtra(zerostate.custom!.loadRefSlice()).config.root)
const environment = pool.environment({ config: slimConfig(config) })
const ADDRESS = { workchain: 0, hash: Buffer.alloc(32, 0x11) }

const block = (seqno: number): BlockId => ({
  workchain: MASTERCHAIN,
  shard: FULL_SHARD,
  seqno,
  rootHash: Buffer.alloc(32, seqno),
  fileHash: Buffer.alloc(32, 0xff),
})
const PREVIOUS: PreviousBlocks = {
  last: [block(103), block(102)],
  key: block(101),
  hundreds: [block(100), block(0)],
}

/** Code is raw TVM instructions in hex; the method id is on top of the stack when they start. */
const codeOf = (hex: string): Cell => new Builder().storeBytes(Buffer.from(hex, 'hex')).endCell()
const call = (hex: string, more: Partial<GetMethodCall> = {}) =>
  pool.run({
    environment,
    code: serializeBoc(codeOf(hex)),
    data: serializeBoc(EMPTY_CELL),
    address: ADDRESS,
    method: 0,
    now: 1_700_000_000,
    ...more,
  })
const run = async (hex: string, more: Partial<GetMethodCall> = {}) => {
  const result = await call(hex, more)
  if (!result.ok) throw new Error(`${hex}: ${result.reason}, ${result.message}`)
  return result
}

const int = (value: bigint): StackValue => ({ type: 'int', value })
const tuple = (...items: StackValue[]): StackValue => ({ type: 'tuple', items })
const hash = (bytes: Buffer): StackValue => int(BigInt(`0x${bytes.toString('hex')}`))
const blockTuple = (id: BlockId): StackValue =>
  tuple(int(-1n), int(1n << 63n), int(BigInt(id.seqno)), hash(id.rootHash), hash(id.fileHash))

// DROP before each.
const PREVMCBLOCKS = '30f83400'
const PREVKEYBLOCK = '30f83401'
const PREVMCBLOCKS_100 = '30f83402'
const PREVBLOCKSINFOTUPLE = '30f82d'

describe('a get-method', () => {
  test('reads the last blocks, the key block and every hundredth block', async () => {
    const more = { previousBlocks: PREVIOUS }
    const [last, key, hundreds] = [PREVIOUS.last, PREVIOUS.key, PREVIOUS.hundreds!]
    expect((await run(PREVMCBLOCKS, more)).stack).toEqual([tuple(...last.map(blockTuple))])
    expect((await run(PREVKEYBLOCK, more)).stack).toEqual([blockTuple(key)])
    expect((await run(PREVMCBLOCKS_100, more)).stack).toEqual([tuple(...hundreds.map(blockTuple))])
  })

  test('finds no hundredth blocks where the network has none', async () => {
    const { last, key } = PREVIOUS
    expect(await run(PREVMCBLOCKS_100, { previousBlocks: { last, key } })).toMatchObject({ exitCode: 5 })
    expect((await run(PREVKEYBLOCK, { previousBlocks: { last, key } })).stack).toEqual([blockTuple(key)])
  })

  test('does not see the previous blocks of the preceding call', async () => {
    await run(PREVBLOCKSINFOTUPLE, { previousBlocks: PREVIOUS })
    expect((await run(PREVBLOCKSINFOTUPLE)).stack).toEqual([{ type: 'null' }])
  })
})

describe('a run without previous blocks reports that it needed them', () => {
  test.each([
    ['when it throws for lack of them', PREVMCBLOCKS],
    ['when nothing throws', PREVBLOCKSINFOTUPLE],
    // PUSHCONT { PREVMCBLOCKS }; PUSHCONT { 2DROP; PUSHINT 0 }; TRY
    ['when the exception is caught', '3093f83400925b70f2ff'],
    // 12,000 times NOP, before or after
    ['after a long loop', '30812ee09100e4f82d'],
    ['before a long loop', '30f82d812ee09100e4'],
    // The instruction as a number; NEWC; STI 16; ENDC; CTOS; BLESS; EXECUTE
    ['by code created at run time', '3081f82dc8ca0fc9d0ed1ed8'],
    // PUSH c7; INDEX 0; INDEX 13
    ['by way of c7', '30ed476f106f1d'],
    // PUSHINT 7; PUSHCTRX; then as above
    ['by way of a register whose number is computed', '3077ede06f106f1d'],
    // PUSHINT 0; GETGLOBVAR; INDEX 13
    ['by way of global variable 0', '3070f8406f1d'],
    ['by the number of the parameter', '30f8810d'],
  ])('%s', async (_, hex) => {
    expect(await run(hex)).toHaveProperty('missesPreviousBlocks', true)
    expect(await run(hex, { previousBlocks: PREVIOUS })).not.toHaveProperty('missesPreviousBlocks')
  })

  test('and a run that did not need them reports nothing', async () => {
    // No instruction; NOW; GETPARAM 7; CONFIGROOT; RANDU256; GETGLOB 1; GETPARAMLONG 12; UNPACKEDCONFIGTUPLE
    for (const hex of ['30', '30f823', '30f827', '30f829', '30f810', '30f841', '30f8810c', '30f82e'])
      expect(await run(hex)).not.toHaveProperty('missesPreviousBlocks')
  })

  test('no other instruction reads them', async () => {
    const shown = PREVIOUS.key.fileHash.toString('hex')
    const names = new Map<string, boolean>()
    // All instructions on control registers and contract parameters, with the numbers of c7 and of its
    // element 0 on the stack.
    const groups = Array.from({ length: 256 }, (_, second) => [
      Buffer.of(0xed, second),
      Buffer.of(0xf8, second),
    ]).flat()
    const codes = [...groups.map((code) => code.toString('hex')), 'f8810d', 'f83400', 'f83401', 'f83402']
    for (const start of ['307d77', '307770'])
      for (const hex of codes.map((code) => `${start}${code}`)) {
        const result = await call(hex, { previousBlocks: PREVIOUS, gasLimit: 20_000 })
        if (!result.ok || !result.stackBoc.toString('hex').includes(shown)) continue
        names.set(hex, (await run(hex, { gasLimit: 20_000 })).missesPreviousBlocks === true)
      }
    expect(names.size).toBeGreaterThan(8)
    expect([...names].filter(([, isNoticed]) => !isNoticed)).toEqual([])
  })
})

describe('emulation', () => {
  const environment = pool.environment({ config })
  // PREVMCBLOCKS; ACCEPT; INDEX 0; INDEX 2; NEWC; STU 32; ENDC; POP c4: stores the seqno of the newest block.
  const code = codeOf('f83400f8006f106f12c8cb1fc9ed54')
  const balance = 10n ** 12n
  const account = activeAccount({
    address: ADDRESS,
    balance,
    code,
    data: EMPTY_CELL,
    lastPaid: 1_700_000_000,
  })
  const shardAccount = new Builder().storeRef(account).storeBytes(Buffer.alloc(32)).storeUint(0, 64).endCell()
  const message = new Builder()
    .storeUint(0b1000, 4)
    .storeAddress(ADDRESS)
    .storeCoins(0n)
    .storeUint(0, 2)
    .endCell()
  const emulate = async (previousBlocks?: PreviousBlocks) => {
    const result = await pool.emulate({
      ...{ environment, shardAccount, message, now: 1_700_000_001, lt: 1_000_000n, ignoreSignatures: false },
      ...(previousBlocks && { previousBlocks }),
    })
    if (!result.ok) throw new Error(JSON.stringify(result))
    if (!result.accepted) return result
    const { state } = loadAccount(parseRoot(result.shardAccount).slice().loadRefSlice())!
    const data = state.status === 'active' ? state.init.data?.preloadRefCell() : undefined
    return { seqno: data!.slice().loadUint(32), missesPreviousBlocks: result.missesPreviousBlocks }
  }

  test('gives a contract the previous blocks of this call, and reports if they were missing', async () => {
    const refused = { ok: true, accepted: false, exitCode: 7, missesPreviousBlocks: true }
    expect(await emulate()).toMatchObject(refused)
    expect(await emulate(PREVIOUS)).toEqual({ seqno: 103, missesPreviousBlocks: undefined })
    expect(await emulate({ ...PREVIOUS, last: [block(104)] })).toEqual({
      seqno: 104,
      missesPreviousBlocks: undefined,
    })
    // The emulator remembers the values it was given last.
    expect(await emulate()).toMatchObject(refused)
  })
})
