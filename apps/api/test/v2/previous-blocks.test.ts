import type { V2Address } from '@shardwalk/api-schema'
import { Builder, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import type { StackValue } from '@shardwalk/contracts'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import type { BlockId, RawAddress } from '@shardwalk/model'
import type { AccountSnapshot } from '@shardwalk/node-access'
import { ChainReader, GetMethods, LiteClient, TrustedHead } from '@shardwalk/node-access'
import { type Replay, startReplay } from '@shardwalk/replay'
import { Recording } from '@shardwalk/sources'
import { activeAccount, FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { V2Context } from '../../src/v2/context.ts'
import { estimateFee } from '../../src/v2/estimate-fee.ts'
import { RUN_HANDLERS } from '../../src/v2/run-method.ts'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

/** The contract of the configuration, which is there from the beginning. No contract of the sample reads previous blocks: its code is replaced by ours. */
const CONFIG: RawAddress = { workchain: -1, hash: Buffer.alloc(32, 0x55) }
const NOBODY = '0:bcc5fc44c1b638c5270bb96b429dadc5ad4bf0678fd23a80893fdc192338fa3b'
const codeOf = (hex: string) => new Builder().storeBytes(Buffer.from(hex, 'hex')).endCell()
/** DROP the method's number; PREVMCBLOCKS; PREVKEYBLOCK; PREVMCBLOCKS_100. */
const READS_ALL = '30f83400f83401f83402'

/** The proven chain, in which accounts have other code. */
class ChainWithCode extends ChainReader {
  code = READS_ALL

  override async account(at: BlockId, address: RawAddress): Promise<AccountSnapshot> {
    const snapshot = await super.account(at, address)
    const [code, data] = [codeOf(this.code), EMPTY_CELL]
    const cell = activeAccount({ ...snapshot, code, data, lastPaid: snapshot.utime })
    return { ...snapshot, cell, code, data }
  }
}

const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
const isKey = (seqno: number) => seqno === 0 || recording.step(seqno)!.block.keyBlock
const idOf = (seqno: number) => (seqno === 0 ? recording.network.zerostate : recording.step(seqno)!.block.id)

let replay: Replay
let pool: LiteServerPool
let chain: ChainWithCode
let getMethods: GetMethods
const tvm = new TvmPool({ threads: 1 })
beforeAll(async () => {
  replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
  const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
  pool = new LiteServerPool({ servers: liteServers, zeroState: zeroState! })
  const client = new LiteClient(pool)
  const trust = new TrustedHead(client, { anchor: zeroState!, known: async () => undefined })
  chain = new ChainWithCode({ client, trust, indexedSeqno: async () => undefined })
  getMethods = new GetMethods(tvm, chain)
})
afterAll(async () => {
  await pool.close()
  await tvm.close()
  await replay.close()
  await recording.close()
})

const asked = () => replay.queryCounts.get('liteServer.getConfigParams') ?? 0
const run = async (seqno: number | undefined, code = READS_ALL) => {
  chain.code = code
  const account = await chain.account(await chain.reference(seqno), CONFIG)
  return getMethods.run({ account, method: 0, args: [] })
}

const int = (value: bigint): StackValue => ({ type: 'int', value })
const tuple = (items: readonly StackValue[]): StackValue => ({ type: 'tuple', items: [...items] })
const hash = (bytes: Buffer): StackValue => int(BigInt(`0x${bytes.toString('hex')}`))
const blockTuple = ({ seqno, rootHash, fileHash }: BlockId): StackValue =>
  tuple([int(-1n), int(1n << 63n), int(BigInt(seqno)), hash(rootHash), hash(fileHash)])
const down = (from: number, step: number) =>
  Array.from({ length: Math.min(16, Math.floor(from / step) + 1) }, (_, i) => from - i * step)

/** By the recorded blocks themselves. */
function truthAt(seqno: number): StackValue[] {
  const key = Array.from({ length: seqno + 1 }, (_, i) => seqno - i).find(isKey)!
  return [
    tuple(down(seqno, 1).map((number) => blockTuple(idOf(number)))),
    blockTuple(idOf(key)),
    tuple(down(seqno - (seqno % 100), 100).map((number) => blockTuple(idOf(number)))),
  ]
}

describe('a get-method reads the blocks before the one that it runs at', () => {
  // The beginning of the chain, either side of sixteen blocks, a key block, either side of a hundredth block, the end.
  test.each([1, 2, 15, 16, 17, 18, 42, 43, 99, 100, 101, 201, 400, 528, 529])(
    'at block %i',
    async (seqno) => {
      expect(await run(seqno)).toMatchObject({ exitCode: 0, stack: truthAt(seqno) })
    },
  )

  test('at the newest block when none is named', async () => {
    expect((await run(undefined)).stack).toEqual(truthAt(529))
  })

  test('as API v2 shows it', async () => {
    chain.code = '30f83401'
    const address = CONFIG as V2Address
    const query = { address, method: 0, stack: [], seqno: 300 }
    const reply = await RUN_HANDLERS.runGetMethod({ chain, getMethods } as unknown as V2Context, query)
    const { seqno, rootHash, fileHash } = idOf(223)
    const numbers = [-1n, 1n << 63n, BigInt(seqno), BigInt(`0x${rootHash.toString('hex')}`)]
    expect(reply).toMatchObject({
      exit_code: 0,
      block_id: { seqno: 300 },
      stack: [
        [
          'tuple',
          {
            elements: [...numbers, BigInt(`0x${fileHash.toString('hex')}`)].map((number) => ({
              number: { number: String(number) },
            })),
          },
        ],
      ],
    })
  })
})

test('they are fetched once for a block, and not at all for a run that does not look', async () => {
  const before = asked()
  // NOW; and the same with an exception
  for (const code of ['30f823', '30f23c']) await run(350, code)
  expect(asked()).toBe(before)
  for (const code of [READS_ALL, '30f83400', '30f83401', '30f82d']) await run(351, code)
  expect(asked()).toBe(before + 1)
})

test('a run that hides the exception of a missing tuple is not believed', async () => {
  // PUSHCONT { PREVKEYBLOCK; INDEX 2 }; PUSHCONT { 2DROP; PUSHINT 0 }; TRY
  expect((await run(352, '3095f834016f12925b70f2ff')).stack).toEqual([int(223n)])
})

describe('estimateFee', () => {
  let api: RunningApi
  beforeAll(async () => {
    api = await startApi()
    await warmUp(api)
  })
  afterAll(() => api.close())

  /** PREVMCBLOCKS; INDEX 0; INDEX 2; PUSHINT seqno; EQUAL; THROWIFNOT 32; ACCEPT; 1,000 times NOP. */
  const goesBy = (seqno: number) =>
    `f834006f106f1281${seqno.toString(16).padStart(4, '0')}baf2a0f8008103e89100e4`

  test('a contract that goes by the newest block accepts the message', async () => {
    const query = { address: CONFIG as V2Address, body: serializeBoc(EMPTY_CELL), ignore_chksig: true }
    const gasFee = async (seqno: number) => {
      chain.code = goesBy(seqno)
      const { gas_fee } = await estimateFee({ chain, getMethods } as unknown as V2Context, query as never)
      return Number(String(gas_fee))
    }
    expect(await gasFee(529)).toBeGreaterThan(0)
    expect(await gasFee(528)).toBe(0)
  })

  test.each([
    ['/v2', (body: { result: { source_fees: object } }) => body.result.source_fees],
    ['/v3', (body: { source_fees: object }) => body.source_fees],
  ])('of API %s lets an account to be deployed read the previous blocks', async (version, feesOf) => {
    const gasFee = async (seqno: number) => {
      const body = {
        address: NOBODY,
        body: serializeBoc(EMPTY_CELL).toString('base64'),
        init_code: serializeBoc(codeOf(goesBy(seqno))).toString('base64'),
        init_data: serializeBoc(EMPTY_CELL).toString('base64'),
      }
      const url = `${api.base.replace('/v2', version)}/estimateFee`
      const reply = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
      expect(reply.status).toBe(200)
      return (feesOf((await reply.json()) as never) as { gas_fee: number }).gas_fee
    }
    // An exception comes before the loop.
    expect(await gasFee(529)).toBeGreaterThan(5 * (await gasFee(528)))
  })
})
