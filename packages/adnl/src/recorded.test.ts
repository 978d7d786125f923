import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { DecodeError } from '@shardwalk/model'
import { encodePacketContents } from '@shardwalk/tl'
import { describe, expect, test } from 'vitest'
import { openChannel } from './channel.ts'
import { addresseeOf, openForChannel, openForNode, sealForChannel } from './datagram.ts'
import { AdnlKey, sha256, shortId } from './index.ts'
import { cutMessage, MessageParts } from './message-parts.ts'
import { isSignedBy, readPacket } from './packet.ts'
import { SeqnoWindow } from './seqno-window.ts'

interface Identity {
  readonly name: string
  readonly adnlId: string
  readonly seed: string
  readonly publicKey: string
}
interface RecordedChannel {
  readonly [key: string]: string
}
interface Datagram {
  readonly from: string
  readonly to: string
  readonly kind: 'root' | 'channel'
  readonly channel?: string
  readonly raw: string
  readonly plain: string
}
interface PartedMessage {
  readonly hash: string
  readonly totalSize: number
  readonly parts: readonly Datagram[]
}

const lines = <T>(name: string): T[] =>
  gunzipSync(readFileSync(`fixtures/p2p/${name}`))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
const bytes = (hex: string) => Buffer.from(hex, 'hex')
const base64 = (text: string) => Buffer.from(text, 'base64')

const { identities, channels } = JSON.parse(readFileSync('fixtures/p2p/keys.json', 'utf8')) as {
  identities: readonly Identity[]
  channels: readonly RecordedChannel[]
}
const keys = new Map(identities.map(({ adnlId, seed }) => [adnlId, new AdnlKey(bytes(seed))]))
/** By id: both directions of every recorded channel. */
const directions = new Map(
  channels.flatMap(({ idToA, keyToA, idToB, keyToB }) => [
    [idToA!, bytes(keyToA!)] as const,
    [idToB!, bytes(keyToB!)] as const,
  ]),
)
const handshake = lines<Datagram>('handshake.jsonl.gz')

/** Contents of a datagram, opened with nothing but the keys. */
function open(raw: Buffer): Buffer | undefined {
  const id = addresseeOf(raw)?.toString('hex') ?? ''
  const own = keys.get(id)
  if (own) return openForNode(own, raw)
  const key = directions.get(id)
  return key && openForChannel({ id: bytes(id), key }, raw)
}

test.each(identities)('public key and id of $name follow from its seed', ({ seed, publicKey, adnlId }) => {
  const key = new AdnlKey(bytes(seed))
  expect(key.publicKey.toString('hex')).toBe(publicKey)
  expect(shortId(key.publicKey).toString('hex')).toBe(adnlId)
})

test('both ends of every channel derive the recorded keys and ids', () => {
  for (const channel of channels) {
    const ends = { ownId: bytes(channel['aId']!), peerId: bytes(channel['bId']!) }
    const a = openChannel({
      ...ends,
      ownKey: new AdnlKey(bytes(channel['aSeed']!)),
      peerKey: bytes(channel['bPublic']!),
    })
    const b = openChannel({
      ownId: ends.peerId,
      peerId: ends.ownId,
      ownKey: new AdnlKey(bytes(channel['bSeed']!)),
      peerKey: bytes(channel['aPublic']!),
    })
    expect(a).toEqual({ incoming: b.outgoing, outgoing: b.incoming })
    expect(a.incoming.id.toString('hex')).toBe(channel['idToA'])
    expect(a.incoming.key.toString('hex')).toBe(channel['keyToA'])
    expect(a.outgoing.id.toString('hex')).toBe(channel['idToB'])
  }
})

describe('recorded datagrams', () => {
  test('every one opens with the keys, has its recorded content, and is written again byte for byte', () => {
    for (const { raw, plain } of handshake) {
      const contents = open(base64(raw))
      expect(contents?.toString('base64')).toBe(plain)
      const { all: _, ...packet } = readPacket(contents!)
      expect(encodePacketContents(packet)).toEqual(contents)
    }
  })

  test('those outside of channels are signed by their sender, and only as they are', () => {
    const senders = new Map<string, string>()
    let signed = 0
    for (const { from, kind, plain } of handshake) {
      if (kind !== 'root') continue
      const packet = readPacket(base64(plain))
      if (packet.from?.kind === 'pub.ed25519') senders.set(from, packet.from.key.toString('hex'))
      const sender = senders.get(from)
      if (!sender || !packet.signature) continue
      signed++
      expect(isSignedBy(bytes(sender), packet)).toBe(true)
      expect(isSignedBy(bytes(sender), { ...packet, seqno: (packet.seqno ?? 0n) + 1n })).toBe(false)
    }
    expect(signed).toBeGreaterThan(300)
  })

  test('those in channels are sealed to the same bytes', () => {
    let sealed = 0
    for (const { kind, channel, raw, plain } of handshake) {
      if (kind !== 'channel') continue
      const direction = { id: bytes(channel!), key: directions.get(channel!)! }
      expect(sealForChannel(direction, base64(plain))).toEqual(base64(raw))
      sealed++
    }
    expect(sealed).toBeGreaterThan(20)
  })

  test('a changed byte anywhere makes them unreadable, and never raises an error', () => {
    for (const [index, { raw }] of handshake.entries()) {
      const damaged = base64(raw)
      // The last byte of the ephemeral key has a bit that key exchange ignores.
      const at = 64 + ((index * 131) % (damaged.length - 64))
      damaged[at]! ^= 1 + (index % 255)
      expect(open(damaged)).toBeUndefined()
      expect(open(damaged.subarray(0, index % damaged.length))).toBeUndefined()
    }
  })

  test('contents that are cut off or changed are packets or refused as damaged, never anything else', () => {
    for (const [index, { plain }] of handshake.entries()) {
      const contents = base64(plain)
      expect(() => readPacket(contents.subarray(0, contents.length - 4))).toThrow(DecodeError)
      contents[(index * 17) % contents.length]! ^= 1 << (index % 8)
      try {
        readPacket(contents)
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError)
      }
    }
  })
})

test('messages sent in parts are put together in any order, and cut into the same parts', () => {
  for (const { hash, totalSize, parts } of lines<PartedMessage>('adnl-parts.jsonl.gz')) {
    const messages = parts
      .flatMap(({ raw }) => readPacket(open(base64(raw))!).all)
      .filter((message) => message.kind === 'adnl.message.part')
    const inOrder = new MessageParts()
    const reversed = new MessageParts()
    const whole = messages.map((part) => inOrder.add(part, 0)).filter((message) => message !== undefined)
    expect(whole).toHaveLength(1)
    expect(
      [...messages]
        .reverse()
        .map((part) => reversed.add(part, 0))
        .at(-1),
    ).toEqual(whole[0])
    expect(cutMessage(whole[0]!)).toEqual(messages)
    expect(messages[0]).toMatchObject({ hash: bytes(hash), totalSize })
  }
})

test('parts that are wrong are refused, and those that never become whole are forgotten', () => {
  const parts = new MessageParts({ maxMessages: 2, maxAgeMs: 1_000 })
  const part = (fill: number, offset: number) => ({
    kind: 'adnl.message.part' as const,
    hash: Buffer.alloc(32, fill),
    totalSize: 2_000,
    offset,
    data: Buffer.alloc(Math.min(1_024, 2_000 - offset)),
  })
  expect(() => parts.add({ ...part(1, 0), totalSize: 1 << 30 }, 0)).toThrow(/adnl.message.part/)
  expect(() => parts.add({ ...part(1, 0), data: Buffer.alloc(3) }, 0)).toThrow(/adnl.message.part.data/)
  expect(() => parts.add({ ...part(1, 0), offset: 7 }, 0)).toThrow(/offset 7/)
  expect(parts.add(part(1, 0), 0)).toBeUndefined()
  expect(() => parts.add(part(1, 1_024), 0)).toThrow(/adnl.message.part.hash/)
  parts.add(part(2, 0), 0)
  parts.add(part(3, 0), 2_000)
  // Begun too long ago: its second part starts it again instead of completing it.
  expect(parts.add(part(2, 1_024), 2_000)).toBeUndefined()
})

test('packets are accepted once, late ones within 64 of the newest', () => {
  const window = new SeqnoWindow()
  expect([1n, 3n, 3n, 2n, 2n, 100n, 37n, 36n, 99n].map((seqno) => window.accept(seqno))).toEqual([
    ...[true, true, false, true, false, true, true, false, true],
  ])
  expect(window.highest).toBe(100n)
})

test('the vectors of the specification: a signed packet to a node, and one in a channel', () => {
  const range = (first: number, count: number) =>
    Buffer.from(Array.from({ length: count }, (_, i) => first + i))
  const a = new AdnlKey(range(0x20, 32))
  const b = new AdnlKey(range(0, 32))
  const channel = openChannel({
    ownId: shortId(a.publicKey),
    peerId: shortId(b.publicKey),
    ownKey: new AdnlKey(range(0x40, 32)),
    peerKey: new AdnlKey(range(0x60, 32)).publicKey,
  })
  const contents = bytes(
    '89cd42d10701020304050607c40000007af98bb4a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbc' +
      'bdbebf0c183febcb0102030405060708000000020000000000000001000000000000000711121314151617',
  )
  const datagram = sealForChannel(channel.outgoing, contents)
  expect(datagram.subarray(0, 64).toString('hex')).toBe(
    'dc91fc79033fd9fa7ef89af8d4b860498afa0062dc02e39c0a1176ae799ab91b' +
      '3c83f62391d19c52f6f0bd0733286eef9f11a3c5e03f591fb30cbf5fe9ff9e59',
  )
  const tail = datagram.subarray(-28).toString('hex')
  expect(tail).toBe('15ece2e0e602f6eb2758377853c1cfc8104710b44519f9393a94262a')
  expect(sha256(contents).toString('hex')).toBe(datagram.subarray(32, 64).toString('hex'))
})
