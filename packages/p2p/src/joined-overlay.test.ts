import { AdnlKey, type AdnlPeer, shortId } from '@shardwalk/adnl'
import { FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { splitBroadcast } from '@shardwalk/overlay'
import { FORGET_PEER } from '@shardwalk/tl'
import { expect, test } from 'vitest'
import type { FullNodePeer } from './full-node-peer.ts'
import { JoinedOverlay } from './joined-overlay.ts'
import { systemClock } from './udp-node.ts'

const stranger = (number: number): AdnlPeer => {
  const id = Buffer.alloc(32)
  id.writeUInt32BE(number)
  return { id, address: { host: `192.0.2.${number % 250}`, port: number } } as AdnlPeer
}

const joined = () =>
  new JoinedOverlay({
    workchain: MASTERCHAIN,
    shard: FULL_SHARD,
    zeroStateFileHash: Buffer.alloc(32),
    ownKey: new AdnlKey(Buffer.alloc(32, 1)),
    restoreBlock: () => Promise.reject(new Error('there are no broadcasts')),
    onBroadcast: () => {},
  })

test('as soon as validators are known, strangers send no large broadcasts', () => {
  const overlay = joined()
  const key = new AdnlKey(Buffer.alloc(32, 2))
  const unixTime = systemClock.unixTime()
  const refusedOf = (fill: number) => {
    const before = overlay.broadcasts.counts.refused
    const [part] = splitBroadcast(Buffer.alloc(200_000, fill), { key, unixTime })
    overlay.receive(part!, stranger(1))
    return overlay.broadcasts.counts.refused - before
  }
  expect(refusedOf(1)).toBe(0)
  overlay.authorised = new Set()
  expect(refusedOf(2)).toBe(1)
  overlay.authorised = new Set([shortId(key.publicKey).toString('hex')])
  expect(refusedOf(3)).toBe(0)
})

test('one with a false answer is not forgotten by saying that it does not serve the overlay', () => {
  const overlay = joined()
  const [dishonest, honest] = [stranger(1), stranger(2)]
  overlay.add(dishonest)!.ban(systemClock.now())
  overlay.add(honest)
  for (const peer of [dishonest, honest]) overlay.receive(FORGET_PEER, peer)
  expect([...overlay.peers.values()].map(({ adnl }) => adnl)).toEqual([dishonest])
})

test('a host has a few places, and dishonest nodes half of all', () => {
  const overlay = joined()
  const [host, now] = ['198.51.100.1', systemClock.now()]
  for (let i = 1; i < 100; i++) overlay.add({ ...stranger(i), address: { host, port: i } } as AdnlPeer)
  expect(overlay.peers.size).toBe(32)
  for (let i = 1_000; overlay.peers.size < 300; i++) overlay.add(stranger(i))
  for (const peer of overlay.peers.values()) peer.ban(now)
  for (let i = 2_000; i < 4_000; i++) overlay.add(stranger(i))
  expect(overlay.states()).toEqual({ ready: 150, resting: 0, banned: 150 })
})

test('strangers take the places of peers that do not answer, never of those that do or are banned', () => {
  const overlay = joined()
  for (let i = 0; i < 1_000; i++) overlay.add(stranger(i))
  expect(overlay.states()).toEqual({ ready: 300, resting: 0, banned: 0 })
  const [silent, dishonest] = [...overlay.peers.values()]
  const now = systemClock.now()
  for (let i = 0; i < 3; i++) silent!.failed(now)
  dishonest!.ban(now)
  expect(overlay.states()).toEqual({ ready: 298, resting: 1, banned: 1 })
  for (let i = 1_000; i < 2_000; i++) overlay.add(stranger(i))
  expect(overlay.states()).toEqual({ ready: 299, resting: 0, banned: 1 })
  const known = [...overlay.peers.values()]
  expect([known.includes(silent!), known.includes(dishonest!)]).toEqual([false, true])
  // Under another id, from the same place.
  known[10]!.ban(now)
  const again = (peer: FullNodePeer) => ({ ...stranger(5_000), address: peer.adnl.address }) as AdnlPeer
  for (let i = 0; i < 3; i++) known[30]!.failed(now)
  expect(overlay.add(again(known[10]!))).toBeUndefined()
  expect(overlay.add(again(known[40]!))).toBeDefined()
})
