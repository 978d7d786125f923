import { hash } from 'node:crypto'
import { AdnlKey } from '@shardwalk/adnl'
import { readDhtConfig } from '@shardwalk/dht'
import { FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { type FullNodeFaults, ReplayChain, ReplayFullNodes } from '@shardwalk/replay'
import { parseEntryName, Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, randomFrom } from '@shardwalk/testkit'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { FullNodeClient, FullNodeNetwork, type FullNodeNetworkOptions } from './index.ts'

const closing: { close(): Promise<void> }[] = []
let recording: Recording
beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
})
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close()
})

/** Full nodes over the sample chain, and a client that knows nothing but their config. */
async function network(nodes: readonly FullNodeFaults[], options: Partial<FullNodeNetworkOptions> = {}) {
  const chain = new ReplayChain(recording)
  const fullNodes = await ReplayFullNodes.start({ chain, nodes, random: randomFrom(testSeed()) })
  closing.push(fullNodes)
  const found = await FullNodeNetwork.open({
    dht: readDhtConfig({ dht: fullNodes.dhtConfig })!,
    zeroStateFileHash: recording.network.zerostate.fileHash,
    host: '127.0.0.1',
    log: silentLogger,
    ...options,
  })
  closing.push(found)
  await expect.poll(() => found.masterchain.peers.size).toBe(nodes.length)
  await expect.poll(() => found.basechain.peers.size).toBe(nodes.length)
  return { client: new FullNodeClient(found), chain, found, fullNodes }
}

const sha256 = (bytes: Buffer) => hash('sha256', bytes, 'hex')

/** The machine may be too busy for a deadline. */
async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await act()
    } catch (error) {
      if (attempt === 20) throw error
    }
}

/** Takes the chain from its zerostate on, block after block, with the shard blocks. */
async function follow(client: FullNodeClient, count: number): Promise<void> {
  let previous = recording.network.zerostate
  for (let seqno = recording.first; seqno < recording.first + count; seqno++) {
    const step = recording.step(seqno)!
    const next = await retried(() => client.nextBlock(previous))
    expect(next?.id).toEqual(step.block.id)
    for (const { id } of step.shards)
      expect(sha256(await retried(() => client.block(id)))).toBe(id.fileHash.toString('hex'))
    previous = next!.id
  }
}

test('blocks and zerostates are downloaded from nodes found through the hash table', async () => {
  const { client, fullNodes } = await network([{}, {}])
  await follow(client, 20)
  const { zerostate } = recording.network
  expect(await retried(() => client.zerostate(zerostate))).toEqual(await recording.zerostate(zerostate))
  const last = recording.step(recording.last)!.block.id
  expect(await retried(() => client.nextBlock(last))).toBeUndefined()
  expect(fullNodes.queryCounts.get('tonNode.downloadNextBlockFull')).toBeGreaterThanOrEqual(21)
})

test('an archive file comes whole and in order, and holds every block of its hundred', async () => {
  const { client } = await network([{}])
  // The fourth hundred is the shortest file.
  const first = recording.first + (isLong ? 0 : 300)
  const file = await retried(async () => {
    const pieces: Buffer[] = []
    const archive = await client.findArchive(first + 5)
    for await (const piece of archive.pieces()) pieces.push(piece)
    return Buffer.concat(pieces)
  })
  const names: string[] = []
  for (let at = 4; at < file.length; ) {
    const nameEnd = at + 8 + file.readUInt16LE(at + 2)
    const end = nameEnd + file.readUInt32LE(at + 4)
    const name = file.toString('utf8', at + 8, nameEnd)
    const entry = parseEntryName(name)
    if (entry?.kind === 'block') {
      names.push(name)
      expect(sha256(file.subarray(nameEnd, end))).toBe(entry.id.fileHash.toString('hex'))
    }
    at = end
  }
  let expected = 0
  for (let seqno = first; seqno <= first + 99; seqno++) expected += 1 + recording.step(seqno)!.shards.length
  expect(names).toHaveLength(expected)
})

test('loss, reordering and duplicates, a dishonest node and a silent one change nothing', async () => {
  const line = { loss: 0.1, reorder: 0.3, duplicate: 0.1 }
  const { client, found } = await network([
    line,
    { ...line, sendsFalseData: true },
    { ...line, isSilent: true },
  ])
  await follow(client, 12)
  expect(found.node.udp.memory.inUse).toBeLessThan(8 << 20)
})

test('false values of the hash table lead nowhere, and a slow node delays nobody', async () => {
  const { client } = await network([{ forgesTable: true, delayMs: 1_200 }, { forgesTable: true }, {}])
  await follow(client, 5)
})

test('nodes of which nothing is asked get pings from us, and answer', async () => {
  const { found } = await network([{}, {}, {}], { keepAliveMs: 20 })
  const { udp } = found.node
  const [sent, received] = [udp.counts.sent, udp.counts.received]
  await expect.poll(() => udp.counts.sent - sent, { timeout: 20_000 }).toBeGreaterThan(200)
  expect(udp.counts.received - received).toBeGreaterThan(100)
  // Of the same machine.
  expect(Math.abs(found.clockOffset.seconds!)).toBeLessThan(3)
  const nodes = found.peerReports()
  expect(nodes.map(({ overlays, state }) => `${overlays} ${state}`)).toEqual([
    ...Array<string>(3).fill('masterchain,basechain ready'),
  ])
})

test.each([-40_000, -45, 300])(
  'a clock that is wrong by %i s is reported, and keeps nobody away',
  async (seconds) => {
    const chain = new ReplayChain(recording, recording.first + 3)
    const nodes = [{}, {}, {}, { forgesTable: true }]
    const fullNodes = await ReplayFullNodes.start({ chain, nodes, random: randomFrom(testSeed()) })
    closing.push(fullNodes)
    const warnings: unknown[] = []
    const found = await FullNodeNetwork.open({
      dht: readDhtConfig({ dht: fullNodes.dhtConfig })!,
      zeroStateFileHash: recording.network.zerostate.fileHash,
      host: '127.0.0.1',
      clock: { now: () => performance.now(), unixTime: () => Date.now() / 1_000 + seconds },
      clockPauseMs: 100,
      log: { ...silentLogger, warn: (...warning) => void warnings.push(warning) },
    })
    closing.push(found)
    await expect.poll(() => warnings).toHaveLength(1)
    expect(Math.abs(found.clockOffset.seconds! + seconds)).toBeLessThan(3)
    expect(warnings).toMatchObject([
      [
        expect.stringContaining('the clock of this machine is wrong'),
        { seconds_behind_full_nodes: Math.round(found.clockOffset.seconds!) },
      ],
    ])
    await expect.poll(() => found.masterchain.peers.size, { timeout: 20_000 }).toBe(4)
    await follow(new FullNodeClient(found), 3)
    const { counts } = found.masterchain.broadcasts
    chain.setHead(recording.first + 4)
    await expect.poll(() => counts.complete, { timeout: 20_000 }).toBeGreaterThan(0)
  },
)

test('a book of nodes that are all gone hides no others, which take their places', async () => {
  const booked = Array.from({ length: 100 }, (_, i) => ({
    ...{ key: new AdnlKey(Buffer.alloc(32, i + 1)).publicKey, host: '127.0.0.1', port: 9, overlays: 3 },
    ...{ meanMs: 1, failures: 0, rate: 1e9, bannedUntil: 0 },
  }))
  const { client, found } = await network([{}, {}], { booked })
  await follow(client, 5)
  expect(found.book().map(({ port }) => port)).not.toContain(9)
})

test('a block that no node has is an error that says so', async () => {
  const { client } = await network([{}])
  const nowhere = {
    workchain: MASTERCHAIN,
    shard: FULL_SHARD,
    seqno: 5,
    rootHash: Buffer.alloc(32, 1),
    fileHash: Buffer.alloc(32, 2),
  }
  await expect(client.block(nowhere)).rejects.toMatchObject({ code: 'no_peer_answered', retry: 'later' })
  await expect(client.findArchive(1 << 30)).rejects.toMatchObject({ code: 'no_peer_answered' })
})
