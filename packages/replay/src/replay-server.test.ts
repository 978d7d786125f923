import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { sameBlock } from '@shardwalk/model'
import { BlockProofChecker, openBlockProof } from '@shardwalk/proofs'
import { LiteserverSource, Recording, record } from '@shardwalk/sources'
import { Address, Cell } from '@ton/core'
import { LiteClient, LiteSingleEngine } from 'ton-lite-client'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type Replay, type ReplayOptions, startReplay } from './index.ts'

const recording = await Recording.open('fixtures/chain')
const opened: { close(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const item of opened.splice(0).reverse()) await item.close()
})
afterAll(() => recording.close())

async function start(options: Partial<ReplayOptions> = {}): Promise<Replay> {
  const replay = await startReplay({ recording, ...options })
  opened.push(replay)
  return replay
}

function poolOver(...replays: Replay[]): LiteServerPool {
  const configs = replays.map((replay) => parseGlobalConfig(replay.globalConfig))
  const pool = new LiteServerPool({ servers: configs.flatMap(({ liteServers }) => liteServers) })
  opened.push(pool)
  return pool
}

const sourceOver = (...replays: Replay[]): LiteserverSource => new LiteserverSource(poolOver(...replays))

async function npmClient(replay: Replay): Promise<LiteClient> {
  const engine = new LiteSingleEngine({ host: `tcp://127.0.0.1:${replay.port}`, publicKey: replay.publicKey })
  opened.push({ close: () => engine.close() })
  await new Promise((resolve) => engine.once('ready', resolve))
  // The client waits for five seconds, in which a busy machine may not compute the newest state.
  const query = engine.query.bind(engine)
  engine.query = (method, request, options) => query(method, request, { ...options, timeout: 60_000 })
  return new LiteClient({ engine })
}

test('the unmodified npm client reads head, blocks, accounts, transactions and configuration', async () => {
  const client = await npmClient(await start())
  const { last, init } = await client.getMasterchainInfo()
  expect([last.seqno, init.rootHash.equals(recording.network.zerostate.rootHash)]).toEqual([529, true])

  const shards = await client.getAllShardsInfo(last)
  expect(shards.shards['0']).toEqual({ '-9223372036854775808': 487 })
  const found = await client.lookupBlockByID({ workchain: 0, shard: '-9223372036854775808', seqno: 21 })
  expect(found.id.rootHash.toString('hex')).toMatch(/^6b1206ce/)
  const list = await client.listBlockTransactions({ ...found.id, seqno: 21 }, { mode: 7, count: 5 })
  expect(list.ids).toHaveLength(5)

  const elector = Address.parse(`-1:${'33'.repeat(32)}`)
  const account = await client.getAccountState(elector, last)
  expect(account.balance.coins).toBeGreaterThan(0n)
  const { lt, hash } = account.lastTx!
  const history = await client.getAccountTransactions(
    elector,
    lt.toString(),
    Buffer.from(hash.toString(16).padStart(64, '0'), 'hex'),
    3,
  )
  expect(history.ids).toHaveLength(3)
  expect(Cell.fromBoc(history.transactions)).toHaveLength(3)
  const config = await client.getConfig(last)
  expect(config.config.size).toBeGreaterThan(20)
})

test('the source over the pool walks the recorded chain', async () => {
  const source = sourceOver(await start())
  expect(sameBlock(await source.zerostateId(), recording.network.zerostate)).toBe(true)
  expect(sameBlock(await source.head(), recording.step(529)!.block.id)).toBe(true)
  const blocks = [200, 389].flatMap((seqno) => [
    ...recording.step(seqno)!.shards,
    recording.step(seqno)!.block,
  ])
  for (const block of blocks)
    expect(
      (await source.getBlock(block.id)).equals(await recording.read(block)),
      String(block.id.seqno),
    ).toBe(true)
  expect(sameBlock(await source.masterchainBlockId(389), recording.step(389)!.block.id)).toBe(true)
  await expect(source.masterchainBlockId(600, { timeoutMs: 500 })).rejects.toThrow(/600/)
  for (const keyBlock of [recording.network.zerostate, recording.step(489)!.block.id])
    expect(await source.globalVersionAtKeyBlock(keyBlock)).toBe(12)
  const basechain = recording.network.zerostates[1]!
  expect((await source.getZerostate(basechain))?.equals((await recording.zerostate(basechain))!)).toBe(true)
  expect(await source.getZerostate({ ...basechain, rootHash: Buffer.alloc(32, 1) })).toBeUndefined()
})

test('a wait ends as soon as the head moves', async () => {
  const replay = await start({ startSeqno: 100 })
  const source = sourceOver(replay)
  expect((await source.head()).seqno).toBe(100)
  const waiting = source.waitForMasterchain(101, { timeoutMs: 5000 })
  replay.setHead(101)
  expect((await waiting)!.seqno).toBe(101)
  expect(await source.waitForMasterchain(102, { timeoutMs: 50 })).toBeUndefined()
})

test('with a speed the head runs from the first block to the last', async () => {
  const replay = await start({ speed: 5000 })
  const source = sourceOver(replay)
  expect(replay.chain.headSeqno).toBeLessThan(529)
  expect((await source.waitForMasterchain(529, { timeoutMs: 10_000 }))!.seqno).toBe(529)
})

test.each(['flipped-byte', 'other-block'] as const)(
  'wrong answer to getBlock (%s): the right block comes from the other server',
  async (block) => {
    const [dishonest, honest] = [
      await start({ wrongAnswers: { block }, seed: Buffer.alloc(32, 1) }),
      await start({ seed: Buffer.alloc(32, 2) }),
    ]
    const source = sourceOver(dishonest, honest)
    for (const seqno of [3, 4, 5, 6, 7]) {
      const { block } = recording.step(seqno)!
      expect((await source.getBlock(block.id)).equals(await recording.read(block))).toBe(true)
    }
  },
)

test('a server that truncates every other answer does not keep blocks from arriving', async () => {
  const onQuery = (_: Buffer, index: number) =>
    index % 2 === 0 ? { kind: 'close' as const, bytes: 100 } : undefined
  const [broken, whole] = [
    await start({ faults: { onQuery }, seed: Buffer.alloc(32, 1) }),
    await start({ seed: Buffer.alloc(32, 2) }),
  ]
  const source = sourceOver(broken, whole)
  const blocks = recording.step(200)!.shards
  const bytes = await Promise.all(blocks.map(({ id }) => source.getBlock(id)))
  for (const [i, block] of blocks.entries()) expect(bytes[i]!.equals(await recording.read(block))).toBe(true)
})

test('wrong answers can be limited to chosen queries, and headers can be wrong too', async () => {
  const replay = await start({ wrongAnswers: { header: 'other-id', when: (_, index) => index >= 0 } })
  const pool = poolOver(replay)
  const lookup = () => pool.lookupBlock({ workchain: -1, shard: 1n << 63n, seqno: 100 })
  expect((await lookup()).rootHash).toEqual(recording.step(1)!.block.id.rootHash)
  replay.setWrongAnswers({ header: 'other-id', when: () => false })
  expect(await lookup()).toEqual(recording.step(100)!.block.id)
  replay.setWrongAnswers({ header: 'broken-proof' })
  const { headerProof } = await pool.query('liteServer.getBlockHeader', {
    id: recording.step(100)!.block.id,
    mode: 0,
  })
  expect(() => openBlockProof(headerProof, recording.step(100)!.block.id, 'header')).toThrow()
})

test('a server with only wrong answers yields no block', async () => {
  const source = sourceOver(await start({ wrongAnswers: { block: 'flipped-byte' } }))
  await expect(source.getBlock(recording.step(3)!.block.id, { timeoutMs: 700 })).rejects.toThrow()
})

test('a stale server does not know the newest blocks; a stalling one does not answer', async () => {
  const stale = await start({ wrongAnswers: { staleBy: 29 } })
  expect((await sourceOver(stale).head()).seqno).toBe(500)
  stale.setWrongAnswers({ stall: true })
  const source = sourceOver(stale)
  await expect(source.getBlock(recording.step(3)!.block.id, { timeoutMs: 300 })).rejects.toThrow()
})

test('external messages are accepted once and kept', async () => {
  const replay = await start({ startSeqno: SENT_AT })
  const client = await npmClient(replay)
  const body = Buffer.from(SENT_MESSAGE, 'hex')
  expect((await client.sendMessage(body)).status).toBe(1)
  await expect(client.sendMessage(body)).rejects.toThrow(/duplicate message/)
  expect(replay.sentMessages.map((message) => message.body.toString('hex'))).toEqual([SENT_MESSAGE])
})

test('a recording made from a lite server can be served again, including states', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recorded-'))
  opened.push({ close: () => rm(folder, { recursive: true }) })
  const source = sourceOver(await start())
  // Key blocks 18, 19, 21, 39 and 40; the last is also the last block.
  expect(await record({ source, folder, from: 1, to: 40 })).toMatchObject({ to: 40, resumed: 0, proofs: 5 })
  const again = await start({ recording: folder })
  const client = await npmClient(again)
  const { last } = await client.getMasterchainInfo()
  expect([last.seqno, last.rootHash.equals(recording.step(40)!.block.id.rootHash)]).toEqual([40, true])
  const config = await client.getAccountState(Address.parse(`-1:${'55'.repeat(32)}`), last)
  expect(config.balance.coins).toBeGreaterThan(0n)
  const { zerostate } = again.chain.recording.network
  const proof = await poolOver(again).getBlockProof(zerostate, again.chain.head.id)
  expect(new BlockProofChecker().verify(proof, zerostate).to.seqno).toBe(40)
})

test('a range from the middle of a chain is served without states', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recorded-'))
  opened.push({ close: () => rm(folder, { recursive: true }) })
  await record({ source: sourceOver(await start()), folder, from: 300, to: 320 })
  const client = await npmClient(await start({ recording: folder }))
  const { last } = await client.getMasterchainInfo()
  expect((await client.getAllShardsInfo(last)).id.seqno).toBe(320)
  await expect(client.getAccountState(Address.parse(`-1:${'55'.repeat(32)}`), last)).rejects.toThrow(
    "state already gc'd",
  )
})

test('key and config are the same at every start, and close frees the port', async () => {
  const first = await startReplay({ recording })
  await first.close()
  const second = await start({ port: first.port })
  expect(second.globalConfig).toBe(first.globalConfig)
  const { zeroState, initBlock } = parseGlobalConfig(second.globalConfig)
  expect([
    sameBlock(zeroState!, recording.network.zerostate),
    sameBlock(initBlock!, recording.network.zerostate),
  ]).toEqual([true, true])
})

/** Message of liteserver-answers/send-message.json, and the head when it was sent. */
const SENT_AT = 524
const SENT_MESSAGE =
  'b5ee9c724101020100b50001e1880015de0d90645e4d9acb058fa092324fd84f746fd173dcd4323195a49beab3483c027d2b' +
  '65d6d11e1be1452ba8556cf64935ff0f117ad7195a586f9c5b8597c3bd5e8efc027a94d82d4f2ee96a1b19598b9e62e843c8' +
  '0e6a9e333332e1a31edc50214d4d18bb580c4c4000000030001c01007e6200766c6119269a4af8425e901c3b17c891a7a2d7' +
  '84c0ee606f6bc7a2c0ab2a8db1a0ee6b2800000000000000000000000000000000000074686520656e64017d514c'
