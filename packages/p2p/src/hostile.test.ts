import { AdnlKey, AdnlNode, type AdnlPeer } from '@shardwalk/adnl'
import { DecodeError, FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { overlayMessageOf, splitBroadcast, withoutOverlayPrefix } from '@shardwalk/overlay'
import { restoreBlock } from '@shardwalk/raptorq'
import { MemoryBudget, Rldp } from '@shardwalk/rldp'
import { randomFrom } from '@shardwalk/testkit'
import { collectGarbage } from '@shardwalk/testkit/collect-garbage'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { encodeUnion, rldp2Datagram } from '@shardwalk/tl'
import { expect, test } from 'vitest'
import { JoinedOverlay } from './joined-overlay.ts'
import { systemClock } from './udp-node.ts'

/** HOSTILE=1000000 for a long run. */
const COUNT = Number(process.env['HOSTILE'] ?? (isLong ? 20_000 : 5_000))
const random = randomFrom(testSeed())
const below = (limit: number) => Math.floor(random() * limit)
const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256)))
const restore = async (symbols: Parameters<typeof restoreBlock>[0]) => restoreBlock(symbols)

/** A node as `UdpNode` and `OverlayNode` put it together, without a socket. */
function victim(send: (datagram: Buffer) => void) {
  const memory = new MemoryBudget()
  const transfers = new Map<AdnlPeer, Rldp>()
  const key = new AdnlKey(Buffer.alloc(32, 1))
  const overlay = new JoinedOverlay({
    ...{ workchain: MASTERCHAIN, shard: FULL_SHARD, zeroStateFileHash: Buffer.alloc(32) },
    ...{ ownKey: key, restoreBlock: restore, onBroadcast: () => {} },
  })
  const adnl = new AdnlNode({
    ...{ key, clock: systemClock, random: bytes, send },
    onQuery: async (query, { address }) => overlay.members.answer(query, address.host),
    onCustom: (data, peer) => {
      let rldp = transfers.get(peer)
      if (!rldp) {
        const answers = { onQuery: async () => undefined, send: (out: Buffer) => peer.sendCustom(out) }
        rldp = new Rldp({ clock: systemClock, random: bytes, restoreBlock: restore, memory, ...answers })
        transfers.set(peer, rldp)
      }
      if (rldp.receive(data)) return
      const prefixed = withoutOverlayPrefix(data)
      if (prefixed) overlay.receive(prefixed.rest, peer)
    },
    onForgotten: (peer) => {
      transfers.get(peer)?.close()
      transfers.delete(peer)
    },
  })
  const tick = () => {
    adnl.tick()
    for (const rldp of transfers.values()) rldp.tick()
  }
  return { adnl, overlay, memory, key, tick }
}

/** Bytes that are alive. */
function liveBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function mutated(message: Buffer): Buffer {
  const wrong = Buffer.from(message)
  for (let flips = 1 + below(4); flips > 0; flips--) wrong[below(wrong.length)]! ^= 1 << below(8)
  return random() < 0.2 ? wrong.subarray(0, below(wrong.length)) : wrong
}

/** The first part of a transfer of so many bytes. */
const partOf = (total: number) =>
  encodeUnion(rldp2Datagram, {
    ...{ kind: 'rldp2.messagePart', transferId: bytes(32), part: 0, totalSize: BigInt(total), seqno: 0 },
    fecType: {
      kind: 'fec.raptorQ',
      dataSize: total,
      symbolSize: 768,
      symbolsCount: Math.ceil(total / 768),
    },
    data: bytes(768),
  })

const ADDRESS = { host: '127.0.0.1', port: 1 }

/** A peer of the victim, which has a channel to it. */
async function openAttacker() {
  const datagrams: Buffer[] = []
  const attacked = victim((datagram) => attacker.receive(datagram, ADDRESS))
  const attack = (datagram: Buffer) => attacked.adnl.receive(datagram, ADDRESS)
  const key = new AdnlKey(Buffer.alloc(32, 2))
  const attacker: AdnlNode = new AdnlNode({
    ...{ key, clock: systemClock, random: bytes },
    send: (datagram) => {
      if (datagrams.length < 200) datagrams.push(Buffer.from(datagram))
      attack(datagram)
    },
  })
  const peer = attacker.peer(attacked.key.publicKey, ADDRESS)
  await peer.query(attacked.overlay.members.question(), 1_000)
  expect(peer.hasChannel).toBe(true)
  return { attacked, attacker, attack, datagrams, key, peer }
}

/** Kinds of attack: outside of channels, inside of them, and what only looks right. */
function kindsOf({ attack, attacked, datagrams, key, peer }: Awaited<ReturnType<typeof openAttacker>>) {
  const parts = [...splitBroadcast(bytes(20_000), { key, unixTime: systemClock.unixTime() })].map((message) =>
    overlayMessageOf(attacked.overlay.id, message),
  )
  return [
    () => attack(bytes(below(200))),
    () => attack(Buffer.concat([attacked.adnl.id, bytes(below(300))])),
    () => attack(mutated(datagrams[below(datagrams.length)]!)),
    () => attack(datagrams[below(datagrams.length)]!),
    () => peer.sendCustom(mutated(partOf(1 + below(2_000)))),
    () => peer.sendCustom(partOf([100, 2_000, 1 << 20, 2 ** 31][below(4)]!)),
    () => peer.sendCustom(mutated(parts[below(parts.length)]!)),
    () => peer.sendCustom(parts[below(parts.length)]!),
    () => peer.sendCustom(bytes(below(100))),
  ]
}

test(
  `${COUNT} hostile datagrams end in no error and take no memory`,
  async () => {
    const opened = await openAttacker()
    const { attacked, attacker } = opened
    const kinds = kindsOf(opened)
    const run = async (count: number) => {
      for (let i = 0; i < count; i++) {
        try {
          kinds[below(kinds.length)]!()
        } catch (error) {
          // What the attacker sends of his own is refused by his own node.
          if (!(error instanceof DecodeError)) throw error
        }
        if (i % 500 === 0) {
          attacked.tick()
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
    }
    await run(COUNT / 2)
    const half = liveBytes()
    await run(COUNT / 2)
    expect(liveBytes() - half).toBeLessThan(2 << 20)
    expect(attacked.memory.inUse).toBeLessThan(1 << 20)
    expect(attacked.adnl.peerCount).toBeLessThanOrEqual(300)
    expect(attacked.adnl.counts.received).toBeGreaterThan(COUNT / 2)
    expect(attacked.overlay.broadcasts.counts.complete).toBeLessThanOrEqual(1)
    attacked.adnl.close()
    attacker.close()
  },
  60_000 + COUNT,
)
