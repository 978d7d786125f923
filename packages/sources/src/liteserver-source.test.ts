import {
  type Cell,
  openMerkleProof,
  parseRoot,
  serializeBoc,
  serializeCanonical,
  sha256,
} from '@shardwalk/cells'
import { LiteServerError, type LiteServerPool, WrongAnswer } from '@shardwalk/liteserver'
import { type BlockId, DecodeError, type ShortBlockId, sameBlock } from '@shardwalk/model'
import { BatchFetcher, BlockNotAvailable } from '@shardwalk/pipeline'
import { generatedZerostate } from '@shardwalk/testkit'
import { decodeObjectAs } from '@shardwalk/tl'
import { expect, test, vi } from 'vitest'
import { globalVersionOfZerostate } from './global-version.ts'
import { LiteserverSource, Recording, readMaybeGzipped } from './index.ts'

const CHAIN = 'fixtures/chain'
const recording = await Recording.open(CHAIN)
const { id: head } = recording.step(529)!.block

interface Exchange {
  readonly name: string
  readonly answer: string
}
const file = JSON.parse((await readMaybeGzipped(`${CHAIN}/liteserver-answers/config.json`))!.toString()) as {
  entries: Exchange[]
}
/** Configuration from key block 489, the newest at block 529. */
const keyBlockConfig = decodeObjectAs(
  'liteServer.configInfo',
  Buffer.from(file.entries.find(({ name }) => name === 'getConfigAll-prev-key-block')!.answer, 'hex'),
)

const keyBlock = recording.step(489)!.block.id

type KeyBlockConfig = Pick<typeof keyBlockConfig, 'id' | 'configProof'>
type Check = (config: KeyBlockConfig) => string | undefined

/**
 * A server that has dropped old blocks but still proves the configuration of its last key block. As in the
 * pool, answers that fail the check are not returned; they are noted in `reports`.
 */
function poolWithoutOldBlocks(
  config: (inForceAt: BlockId) => KeyBlockConfig = () => keyBlockConfig,
  reports: string[] = [],
): LiteServerPool {
  const refuse = (method: string) => () =>
    Promise.reject(new LiteServerError('127.0.0.1:1', method, 651, 'block is not in db'))
  return {
    heads: () => [{ id: head, servers: ['127.0.0.1:1'] }],
    onHead: () => () => {},
    lookupBlock: refuse('liteServer.lookupBlock'),
    getBlock: refuse('liteServer.getBlock'),
    getState: refuse('liteServer.getState'),
    async query(_: string, { id }: { readonly id: BlockId }, { check }: { readonly check: Check }) {
      const answer = config(id)
      const problem = check(answer)
      if (problem === undefined) return answer
      reports.push(problem)
      throw new WrongAnswer('127.0.0.1:1', 'liteServer.getConfigParams', problem)
    },
    close: async () => {},
  } as unknown as LiteServerPool
}

const zerostateId = recording.network.zerostate

test('the version of a dropped key block comes from its proven configuration', async () => {
  expect(
    await new LiteserverSource(poolWithoutOldBlocks(), { zerostateId }).globalVersionAtKeyBlock(keyBlock),
  ).toBe(12)
})

test('so does that of one before the newest, from a block in between', async () => {
  const { id: before } = recording.step(500)!.block
  const asked: number[] = []
  const pool = poolWithoutOldBlocks((id) => {
    asked.push(id.seqno)
    // As if block 510 were a key block.
    return id.seqno < 510 ? keyBlockConfig : { ...keyBlockConfig, id: recording.step(510)!.block.id }
  })
  const source = new LiteserverSource(pool, { zerostateId })
  expect(await source.globalVersionAtKeyBlock(keyBlock, { inForceAt: before })).toBe(12)
  expect(asked).toEqual([500])
})

/** The tree with other bytes in config parameter 8, which is found by its constructor and version 12. */
function withOtherVersion(boc: Buffer, other: string, change: (bytes: Buffer) => void = () => {}): Cell {
  const changed = Buffer.from(boc)
  changed.write(other, changed.indexOf(Buffer.from('c40000000c', 'hex')), 'hex')
  change(changed)
  return parseRoot(changed, { verifyCrc: false })
}

const NEWER_FORM = 'c500000001'
const original = await recording.read(recording.step(489)!.block)

test('with a proven version of a newer form every known change is in force', async () => {
  const id = { ...keyBlock, rootHash: withOtherVersion(original, NEWER_FORM).hash() }
  const proof = withOtherVersion(keyBlockConfig.configProof, NEWER_FORM, (bytes) =>
    bytes.set(id.rootHash, bytes.indexOf(keyBlock.rootHash)),
  )
  const pool = poolWithoutOldBlocks(() => ({ id, configProof: serializeBoc(proof) }))
  const source = new LiteserverSource(pool, { zerostateId })
  expect(await source.globalVersionAtKeyBlock(id)).toBeGreaterThan(1_000)
})

test('so is that of the zerostate', () => {
  const zerostate = withOtherVersion(generatedZerostate(-1).bytes, NEWER_FORM)
  expect(globalVersionOfZerostate(serializeBoc(zerostate))).toBeGreaterThan(1_000)
})

/** Key block 489 with another constructor of one of its cells, and a source that has it. */
function withConstructor(known: string, other: string) {
  const cell = withOtherVersion(original, 'c40000000c', (bytes) => {
    bytes.write(other, bytes.indexOf(Buffer.from(known, 'hex')), 'hex')
  })
  const bytes = serializeCanonical(cell)
  const id = { ...keyBlock, rootHash: cell.hash(), fileHash: sha256(bytes) }
  let asked = 0
  const pool = {
    ...poolWithoutOldBlocks(),
    async getBlock() {
      asked++
      return bytes
    },
  } as unknown as LiteServerPool
  return { id, source: new LiteserverSource(pool, { zerostateId }), asked: () => asked }
}

test('the version of a key block whose header has an unknown form is read by itself', async () => {
  const { id, source } = withConstructor('9bc7a987', '9bc7a988')
  expect(await source.globalVersionAtKeyBlock(id)).toBe(12)
})

test('an answer that cannot be read says nothing of the block, which is asked for again', async () => {
  const { id } = withConstructor('9bc7a987', '9bc7a988')
  const answer = vi.fn().mockRejectedValue(new DecodeError('liteServer.blockData', 'is damaged'))
  const pool = { ...poolWithoutOldBlocks(), getBlock: answer } as unknown as LiteServerPool
  const source = new LiteserverSource(pool, { zerostateId })
  for (let batch = 0; batch < 2; batch++)
    await expect(source.globalVersionAtKeyBlock(id)).rejects.toThrow('is damaged')
  expect(answer).toHaveBeenCalledTimes(2)
})

test('if the form of what has it is not known, it is not, and the block is asked for once', async () => {
  for (const tag of ['11ef55aa', '4a33f6fd', 'cca5']) {
    const { id, source, asked } = withConstructor(tag, `${tag.slice(0, -1)}0`)
    for (let batch = 0; batch < 3; batch++)
      await expect(source.globalVersionAtKeyBlock(id)).rejects.toThrow(DecodeError)
    expect(asked()).toBe(1)
  }
})

const VERSION_1 = 'c400000001'
/** Key block 489 as a server makes it up to have the blocks after it decoded by other rules. */
const forgedCell = withOtherVersion(original, VERSION_1)
const forgedBlock = serializeCanonical(forgedCell)
const forgedId = { ...keyBlock, rootHash: forgedCell.hash(), fileHash: sha256(forgedBlock) }

/** A proof of the made-up block that is consistent with itself. */
function forgedProof(): Buffer {
  const proof = withOtherVersion(keyBlockConfig.configProof, VERSION_1, (bytes) =>
    bytes.set(forgedId.rootHash, bytes.indexOf(keyBlock.rootHash)),
  )
  openMerkleProof(proof, forgedId.rootHash)
  return serializeBoc(proof)
}

test('a server that makes up a key block does not change how the blocks after it are decoded', async () => {
  const pool = {
    ...poolWithoutOldBlocks(),
    async lookupBlock({ seqno }: ShortBlockId) {
      return seqno === keyBlock.seqno ? forgedId : recording.step(seqno)!.block.id
    },
    async getBlock(id: BlockId) {
      return sameBlock(id, forgedId) ? forgedBlock : recording.read(recording.find(id)!)
    },
  } as unknown as LiteServerPool
  const fetcher = new BatchFetcher(new LiteserverSource(pool, { zerostateId }))
  const asking = { urgent: false, signal: new AbortController().signal }
  const { globalVersion } = await fetcher.range({ from: 500, to: 500 }, asking)(500)
  expect(globalVersion).toBe(12)
})

test('nor does one that proves a made-up configuration, or nothing: it is reported', async () => {
  const reports: string[] = []
  const broken = Buffer.from(keyBlockConfig.configProof)
  broken[broken.length >> 1]! ^= 1
  const answers: KeyBlockConfig[] = [
    { id: forgedId, configProof: forgedProof() },
    { id: keyBlock, configProof: forgedProof() },
    { id: keyBlock, configProof: broken },
  ]
  for (const answer of answers) {
    const pool = poolWithoutOldBlocks(() => answer, reports)
    const asked = new LiteserverSource(pool, { zerostateId }).globalVersionAtKeyBlock(keyBlock)
    await expect(asked).rejects.toThrow(WrongAnswer)
  }
  expect(reports).toEqual(answers.map(() => expect.stringContaining('489')))
})

test('a block that servers lack is not available and may be retried later', async () => {
  const source = new LiteserverSource(poolWithoutOldBlocks(), { zerostateId })
  for (const attempt of [
    () => source.globalVersionAtKeyBlock(recording.step(380)!.block.id),
    () => source.globalVersionAtKeyBlock(zerostateId),
    () => source.masterchainBlockId(3),
    () => source.getBlock(head),
  ])
    await expect(attempt()).rejects.toThrow(BlockNotAvailable)
  expect(await source.getZerostate(zerostateId)).toBeUndefined()
})
