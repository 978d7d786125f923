import { LiteServerError, type LiteServerPool } from '@shardwalk/liteserver'
import { BlockNotAvailable } from '@shardwalk/pipeline'
import { decodeObjectAs } from '@shardwalk/tl'
import { expect, test } from 'vitest'
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

/** A server that has dropped old blocks but still proves the configuration of its last key block. */
function poolWithoutOldBlocks(configProof = keyBlockConfig.configProof): LiteServerPool {
  const refuse = (method: string) => () =>
    Promise.reject(new LiteServerError('127.0.0.1:1', method, 651, 'block is not in db'))
  return {
    heads: () => [{ id: head, servers: ['127.0.0.1:1'] }],
    onHead: () => () => {},
    lookupBlock: refuse('liteServer.lookupBlock'),
    getBlock: refuse('liteServer.getBlock'),
    getState: refuse('liteServer.getState'),
    getConfigParams: async () => ({ ...keyBlockConfig, configProof }),
    close: async () => {},
  } as unknown as LiteServerPool
}

const zerostateId = recording.network.zerostate

test('the version of a dropped key block comes from its proven configuration', async () => {
  expect(
    await new LiteserverSource(poolWithoutOldBlocks(), { zerostateId }).globalVersionAtKeyBlock(489),
  ).toBe(12)
})

test('so does that of one before the newest, from a block in between', async () => {
  const { id: before } = recording.step(500)!.block
  const asked: number[] = []
  const pool = poolWithoutOldBlocks()
  pool.getConfigParams = async (id) => {
    asked.push(id.seqno)
    // As if block 510 were a key block.
    return id.seqno < 510 ? keyBlockConfig : { ...keyBlockConfig, id: recording.step(510)!.block.id }
  }
  const source = new LiteserverSource(pool, { zerostateId })
  expect(await source.globalVersionAtKeyBlock(489, { inForceAt: before })).toBe(12)
  expect(asked).toEqual([500])
})

test('a proof of another block is rejected', async () => {
  const wrong = Buffer.from(keyBlockConfig.configProof)
  wrong[wrong.length >> 1]! ^= 1
  await expect(
    new LiteserverSource(poolWithoutOldBlocks(wrong), { zerostateId }).globalVersionAtKeyBlock(489),
  ).rejects.toThrow()
})

test('a block that servers lack is not available and may be retried later', async () => {
  const source = new LiteserverSource(poolWithoutOldBlocks(), { zerostateId })
  for (const attempt of [
    () => source.globalVersionAtKeyBlock(380),
    () => source.globalVersionAtKeyBlock(0),
    () => source.masterchainBlockId(3),
    () => source.getBlock(head),
  ])
    await expect(attempt()).rejects.toThrow(BlockNotAvailable)
  expect(await source.getZerostate(-1)).toBeUndefined()
})
