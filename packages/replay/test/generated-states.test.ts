import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import { verifyLibrary, verifyOutMsgQueueSize } from '@shardwalk/proofs'
import { generatedChain } from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servedChain } from './served-chain.ts'

// What states hold besides accounts.

const OPTIONS = { seed: 83, steps: 20, accounts: 60, transactions: 12, genesis: 0.8 }
const steps = [...generatedChain(OPTIONS)]
const blocks = steps.flatMap(({ masterchain, shards }) => [...shards, masterchain])

let chain: Awaited<ReturnType<typeof servedChain>>
beforeAll(async () => {
  chain = await servedChain(OPTIONS, steps)
})
afterAll(() => chain?.close())

test('the size of a queue is proven beside accounts with several deferred messages', async () => {
  let several = 0
  for (const { raw, waiting } of blocks) {
    const answer = await chain.pool.query('liteServer.getBlockOutMsgQueueSize', {
      ...{ mode: 1, id: raw.id, wantProof: true },
    })
    expect(verifyOutMsgQueueSize(answer, raw.id)).toBe(BigInt(waiting.queueSize))
    expect(() => verifyOutMsgQueueSize({ ...answer, size: answer.size + 1n }, raw.id)).toThrow(/another size/)
    if (waiting.deferred.some(([, messages]) => messages.length > 1)) several++
  }
  expect(several).toBeGreaterThan(10)
})

/** Libraries that accounts of the masterchain publish after each of its blocks, by hash in hex. */
function* publishedAfterEach() {
  const { accounts } = steps[0]!.zerostates.get(MASTERCHAIN)!
  const now = new Map([...accounts].map(([account, { publicLibraries }]) => [account, publicLibraries]))
  for (const { masterchain } of steps) {
    for (const [account, { publicLibraries }] of masterchain.states) now.set(account, publicLibraries)
    const cells = [...now.values()].flat()
    const publishers = new Map<string, number>()
    for (const cell of cells) {
      const hex = cell.hash().toString('hex')
      publishers.set(hex, (publishers.get(hex) ?? 0) + 1)
    }
    yield { id: masterchain.raw.id, publishers }
  }
}

const askLibrary = (id: BlockId, hash: Buffer) =>
  chain.pool.query('liteServer.getLibrariesWithProof', { mode: 0, id, libraryList: [hash] })

test('a library is proven while any account publishes it, and proven absent before and after', async () => {
  const after = [...publishedAfterEach()]
  const all = new Set(after.flatMap(({ publishers }) => [...publishers.keys()]))
  const seen = { absent: 0, sole: 0, shared: 0 }
  for (const { id, publishers } of after)
    for (const hex of all) {
      const hash = Buffer.from(hex, 'hex')
      const found = verifyLibrary(await askLibrary(id, hash), id, hash)
      const count = publishers.get(hex) ?? 0
      expectSame(found?.hash(), count > 0 ? hash : undefined)
      seen[count === 0 ? 'absent' : count === 1 ? 'sole' : 'shared']++
    }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
})
