import { toJsonText, type V2Address } from '@shardwalk/api-schema'
import { Builder, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import { createNodeAccess } from '@shardwalk/node-access'
import { INLINE_WORK, type Work } from '@shardwalk/node-access/requests'
import { Recording } from '@shardwalk/sources'
import { AccountsWithCode, FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RUN_HANDLERS } from '../../src/v2/run-method.ts'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

/** The configuration contract, which exists from the start. */
const CONFIG: RawAddress = { workchain: MASTERCHAIN, hash: Buffer.alloc(32, 0x55) }
const NOBODY = '0:bcc5fc44c1b638c5270bb96b429dadc5ad4bf0678fd23a80893fdc192338fa3b'
const codeOf = (hex: string) => new Builder().storeBytes(Buffer.from(hex, 'hex')).endCell()

let api: RunningApi
const tvm = new TvmPool({ threads: 1 })
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
})
afterAll(async () => {
  await tvm.close()
  await api.close()
})

test('runGetMethod shows the id of a previous block as a tuple of numbers', async () => {
  const node = createNodeAccess({ pool: api.pool, tvm, untrustedTvm: tvm })
  const accounts = new AccountsWithCode(node.client, node.shards)
  // DROP the method id; PREVKEYBLOCK.
  accounts.code = codeOf('30f83401')
  const query = { address: CONFIG as V2Address, method: 0, stack: [], seqno: 300 }
  const owner = { client: 'somebody', signal: () => new AbortController().signal }
  const work: Work = (name, input) => INLINE_WORK.run(name, input, owner)
  const reply = await RUN_HANDLERS.runGetMethod({ ...node, accounts }, query, work)
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const { seqno, rootHash, fileHash } = recording.step(223)!.block.id
  await recording.close()
  const hashes = [rootHash, fileHash].map((hash) => BigInt(`0x${hash.toString('hex')}`))
  const numbers = [-1n, 1n << 63n, BigInt(seqno), ...hashes]
  expect(JSON.parse(toJsonText(reply))).toMatchObject({
    exit_code: 0,
    block_id: { seqno: 300 },
    stack: [['tuple', { elements: numbers.map((number) => ({ number: { number: String(number) } })) }]],
  })
})

/** PREVMCBLOCKS; INDEX 0; INDEX 2; PUSHINT seqno; EQUAL; THROWIFNOT 32; ACCEPT; 1,000 times NOP. */
const goesBy = (seqno: number) =>
  `f834006f106f1281${seqno.toString(16).padStart(4, '0')}baf2a0f8008103e89100e4`

test.each([
  ['/v2', (body: { result: { source_fees: object } }) => body.result.source_fees],
  ['/v3', (body: { source_fees: object }) => body.source_fees],
])(
  'estimateFee of API %s lets an account to be deployed read the previous blocks',
  async (version, feesOf) => {
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
  },
)
