import { readFileSync } from 'node:fs'
import { AdnlKey, sha256, shortId } from '@shardwalk/adnl'
import { restoreBlock } from '@shardwalk/raptorq'
import { peerFixture, randomFrom, shuffled, TestClock } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import {
  certificateId,
  certificateIdV2,
  decodeUnion,
  encodeBoxed,
  encodeUnion,
  type OverlayNode,
  overlayAnswer,
  overlayBroadcast,
  overlayFunction,
} from '@shardwalk/tl'
import { describe, expect, test } from 'vitest'
import type { Broadcast, BroadcastsOptions } from './broadcasts.ts'
import { authorityOf, isCertified } from './certificates.ts'
import { fecBroadcastId, signedPartBytes } from './fec-broadcast.ts'
import {
  Broadcasts,
  Members,
  overlayQueryOf,
  PING,
  shardOverlay,
  signMembership,
  splitBroadcast,
  withoutOverlayPrefix,
} from './index.ts'
import { isMembership } from './membership.ts'

const SEED = testSeed()
const base64 = (text: string) => Buffer.from(text, 'base64')
const hex = (text: string) => Buffer.from(text, 'hex')
const range = (first: number, count: number) =>
  Buffer.from(Array.from({ length: count }, (_, i) => first + i))

const { zerostate, overlays } = JSON.parse(readFileSync('fixtures/p2p/overlays.json', 'utf8')) as {
  readonly zerostate: { readonly fileHash: string }
  readonly overlays: readonly {
    readonly name: string
    readonly nameHash: string
    readonly overlayId: string
  }[]
}

test('ids of the overlays of shards follow from the zerostate', () => {
  const shards = overlays.flatMap((overlay) => {
    const match = /shard (-?\d+):([0-9a-f]{16})/.exec(overlay.name)
    return match ? [{ ...overlay, workchain: Number(match[1]), shard: BigInt(`0x${match[2]}`) }] : []
  })
  expect(shards.length).toBeGreaterThan(2)
  for (const { workchain, shard, nameHash, overlayId } of shards) {
    const overlay = shardOverlay({ workchain, shard, zeroStateFileHash: hex(zerostate.fileHash) })
    expect([overlay.name.toString('hex'), overlay.id.toString('hex')]).toEqual([nameHash, overlayId])
  }
})

describe('memberships', () => {
  const recorded = peerFixture<{
    readonly queryTl: string
    readonly answerTl: string | null
    readonly function: string
  }>('overlay-exchanges').filter((exchange) => exchange.function === 'overlay.getRandomPeers')
  const announced = recorded.flatMap(({ answerTl }): readonly OverlayNode[] => {
    const answer = answerTl ? decodeUnion(overlayAnswer, base64(answerTl)) : undefined
    return answer?.kind === 'overlay.nodes' ? answer.nodes : []
  })

  test('of the recording are signed, hold for ten minutes and only for their overlay', () => {
    expect(announced.length).toBeGreaterThan(20)
    for (const node of announced) {
      const { overlay, version } = node
      expect(isMembership(node, { overlay, unixTime: version + 10 })).toBe(true)
      expect(isMembership(node, { overlay, unixTime: version + 601 })).toBe(false)
      expect(isMembership(node, { overlay, unixTime: version - 61 })).toBe(false)
      expect(isMembership(node, { overlay: Buffer.alloc(32), unixTime: version })).toBe(false)
      const forged = { ...node, version: version + 1 }
      expect(isMembership(forged, { overlay, unixTime: version })).toBe(false)
    }
  })

  test('of a key of small order, for which anybody can sign, hold never', () => {
    const [key, signature] = [Buffer.alloc(32), Buffer.alloc(64)]
    // The neutral element, which is both the key and the first half of its signature.
    for (const bytes of [key, signature]) bytes[0] = 1
    const overlay = Buffer.alloc(32, 5)
    const node: OverlayNode = { id: { kind: 'pub.ed25519', key }, overlay, version: 1_000, signature }
    expect(isMembership(node, { overlay, unixTime: 1_000 })).toBe(false)
  })

  test('of the recording are learnt from questions and answers as nodes send them', () => {
    const overlay = announced[0]!.overlay
    const clock = new TestClock(announced[0]!.version)
    const members = new Members({
      overlay,
      ownKey: new AdnlKey(range(0, 32)),
      randomIndex: () => 0,
      unixTime: () => clock.unixTime(),
    })
    for (const { queryTl, answerTl } of recorded) {
      const query = withoutOverlayPrefix(base64(queryTl))!
      if (!query.overlay.equals(overlay)) continue
      const answer = decodeUnion(overlayAnswer, members.answer(query.rest, '192.0.2.1'))
      expect(answer.kind).toBe('overlay.nodes')
      if (answerTl) members.learnAnswer(base64(answerTl))
    }
    expect(members.size).toBeGreaterThan(0)
    expect(decodeUnion(overlayAnswer, members.answer(PING, '192.0.2.1'))).toEqual({
      kind: 'overlay.pong',
    })
  })

  test('are remembered up to a number, and ours is sent with every question', () => {
    const overlay = Buffer.alloc(32, 5)
    const clock = new TestClock()
    const unixTime = () => clock.unixTime()
    const ownKey = new AdnlKey(range(0, 32))
    const members = new Members({ overlay, ownKey, randomIndex: () => 0, unixTime, maxMembers: 10 })
    for (let i = 0; i < 40; i++)
      members.learn([signMembership(new AdnlKey(Buffer.alloc(32, 100 + i)), overlay, unixTime())])
    expect(members.size).toBe(10)
    members.learn([signMembership(ownKey, overlay, unixTime())])
    expect(members.size).toBe(10)
    const question = decodeUnion(overlayFunction, members.question())
    const [own] = question.kind === 'overlay.getRandomPeers' ? question.peers.nodes : []
    expect(own?.id).toEqual({ kind: 'pub.ed25519', key: ownKey.publicKey })
    expect(members.sample()).toHaveLength(5)
  })

  test('that nobody asked for are few of a host and of all, so that others still find room', () => {
    const overlay = Buffer.alloc(32, 5)
    const clock = new TestClock()
    const unixTime = () => clock.unixTime()
    const members = new Members({
      ...{ overlay, ownKey: new AdnlKey(range(0, 32)), randomIndex: () => 0, unixTime },
    })
    let made = 0
    const announce = (host: string, count: number) => {
      const nodes = Array.from({ length: count }, () => {
        const seed = Buffer.alloc(32, 7)
        seed.writeUInt32BE(made++)
        return signMembership(new AdnlKey(seed), overlay, unixTime())
      })
      members.answer(encodeUnion(overlayFunction, { kind: 'overlay.getRandomPeers', peers: { nodes } }), host)
      return nodes
    }
    for (let i = 0; i < 5; i++) announce('192.0.2.1', 16)
    expect(members.size).toBe(8)
    for (let i = 0; i < 50; i++) announce(`198.51.100.${i}`, 2)
    expect(members.size).toBe(64)
    // Those that we have asked for are taken all the same, and strangers again after a while.
    const key = new AdnlKey(range(9, 32))
    members.learn([signMembership(key, overlay, unixTime())])
    expect(members.size).toBe(65)
    clock.advance(61_000)
    announce('192.0.2.1', 1)
    expect(members.size).toBe(66)
  })

  test('the vector of the specification', () => {
    const overlay = hex('fc061ba11e1d7ba92dc6eb25ba79174a5ea4b11ea6299f9cd80df4214f1ddb3b')
    const node = signMembership(new AdnlKey(range(0x20, 32)), overlay, 1_750_000_000)
    expect(node.signature.toString('hex')).toBe(
      '38b6db1b57b7e4468ec8f591ddc8ac4b3a143c8af4a6ec1da56c7ee91f4c48846513d6a20d369010ede29c072c767fdc4f' +
        'c4ae0a5dc598ac6cc8b063b9d20600',
    )
    expect(overlayQueryOf(overlay, hex('f818e6de')).toString('hex')).toBe(
      '4384fdccfc061ba11e1d7ba92dc6eb25ba79174a5ea4b11ea6299f9cd80df4214f1ddb3bf818e6de',
    )
  })
})

interface RecordedFec {
  readonly type: string
  readonly overlay: string
  readonly broadcastId: string
  readonly K: number
  readonly date: number
  readonly payload: string
  readonly parts: readonly string[]
}
interface RecordedSimple {
  readonly overlay: string
  readonly date: number
  readonly payload: string
  readonly message: string
}

const fecBroadcasts = peerFixture<RecordedFec>('broadcasts-fec')
const settle = () => new Promise((resolve) => setImmediate(resolve))

function listener(overlay: Buffer, date: number, options: Partial<BroadcastsOptions> = {}) {
  const received: Broadcast[] = []
  const clock = new TestClock(date)
  const broadcasts = new Broadcasts({
    overlay,
    clock,
    restoreBlock: async (symbols) => restoreBlock(symbols),
    onBroadcast: (broadcast) => received.push(broadcast),
    ...options,
  })
  return { broadcasts, received, clock }
}

/** Messages as they follow the prefix of the overlay. */
const messagesOf = ({ overlay, parts }: RecordedFec): Buffer[] =>
  parts.flatMap((part) => {
    const prefixed = withoutOverlayPrefix(base64(part))
    return prefixed?.overlay.equals(hex(overlay)) ? [prefixed.rest] : []
  })

describe('recorded broadcasts', () => {
  test.each(
    fecBroadcasts.map((broadcast, i) => [`${i} ${broadcast.type} K=${broadcast.K}`, broadcast] as const),
  )('%s is put together once, however often its parts arrive', async (_, recorded) => {
    const { broadcasts, received } = listener(hex(recorded.overlay), recorded.date)
    const messages = messagesOf(recorded)
    for (const message of [...messages, ...messages]) {
      broadcasts.receive(message)
      await settle()
    }
    expect(received.map(({ payload }) => payload.toString('base64'))).toEqual([recorded.payload])
    expect(received[0]!.id.toString('hex')).toBe(recorded.broadcastId)
    expect(broadcasts.counts).toMatchObject({ complete: 1, refused: 0, incomplete: 0 })
  })

  test('are put together in any order from any symbols that suffice', async () => {
    const random = randomFrom(SEED)
    for (const recorded of fecBroadcasts) {
      const { broadcasts, received } = listener(hex(recorded.overlay), recorded.date)
      const bySeqno = new Map(
        messagesOf(recorded).map((message) => {
          const part = decodeUnion(overlayBroadcast, message)
          return [part.kind === 'overlay.broadcastFec' ? part.seqno : -1, message] as const
        }),
      )
      for (const message of shuffled([...bySeqno.values()], random).slice(0, recorded.K + 3)) {
        broadcasts.receive(message)
        await settle()
      }
      expect(
        received.map(({ payload }) => payload.toString('base64')),
        `SEED=${SEED}`,
      ).toEqual([recorded.payload])
    }
  })

  test('that fit one message are taken once', () => {
    for (const { overlay, date, payload, message } of peerFixture<RecordedSimple>('broadcasts-simple')) {
      const { broadcasts, received, clock } = listener(hex(overlay), date)
      const { rest } = withoutOverlayPrefix(base64(message))!
      broadcasts.receive(rest)
      broadcasts.receive(rest)
      clock.advance(10_000)
      broadcasts.receive(rest)
      expect(received.map((broadcast) => broadcast.payload.toString('base64'))).toEqual([payload])
      expect(broadcasts.counts).toMatchObject({ parts: 3, complete: 1, duplicates: 2 })
    }
  })

  test('carry certificates that are valid in their overlay and for their source alone', () => {
    let certified = 0
    for (const recorded of fecBroadcasts) {
      const part = decodeUnion(overlayBroadcast, messagesOf(recorded)[0]!)
      if (part.certificate.kind === 'overlay.emptyCertificate') continue
      certified++
      expect(isCertified(part, hex(recorded.overlay))).toBe(true)
      expect(isCertified(part, Buffer.alloc(32))).toBe(false)
      const other = { kind: 'pub.ed25519', key: Buffer.alloc(32, 1) } as const
      expect(isCertified({ ...part, src: other }, hex(recorded.overlay))).toBe(false)
    }
    expect(certified).toBeGreaterThan(5)
  })

  test('are refused with a wrong date, signature or source', async () => {
    const recorded = fecBroadcasts.find(({ type }) => type === 'tonNode.blockBroadcast')!
    const messages = messagesOf(recorded)
    let authority: string | undefined
    const refusedBy = async (
      date: number,
      change: (message: Buffer) => Buffer,
      options?: Partial<BroadcastsOptions>,
    ) => {
      const { broadcasts, received } = listener(hex(recorded.overlay), date, options)
      for (const message of messages) broadcasts.receive(change(message))
      await settle()
      authority = received[0]?.authority
      return received.length === 0 && broadcasts.counts.refused > 0
    }
    const same = (message: Buffer) => message
    expect(await refusedBy(recorded.date + 60, same)).toBe(true)
    expect(await refusedBy(recorded.date - 60, same)).toBe(true)
    const inSymbol = (message: Buffer) => {
      const changed = Buffer.from(message)
      changed[400]! ^= 1
      return changed
    }
    expect(await refusedBy(recorded.date, inSymbol)).toBe(true)
    const limits = { unauthorisedSize: 100 }
    expect(await refusedBy(recorded.date, same, { authorised: () => new Set(), limits })).toBe(true)
    const part = decodeUnion(overlayBroadcast, messages[0]!)
    const { certificate } = part
    const issuer =
      certificate.kind !== 'overlay.emptyCertificate' && certificate.issuedBy.kind === 'pub.ed25519'
        ? shortId(certificate.issuedBy.key).toString('hex')
        : ''
    const authorised = () => new Set([issuer])
    expect(await refusedBy(recorded.date, same, { authorised, limits })).toBe(false)
    expect(authority).toBe(issuer)
    expect(await refusedBy(recorded.date, same)).toBe(false)
    expect(authority).toBeUndefined()
  })
})

test('a certificate gives the authority that its flags name, or the usual one', () => {
  const [issuer, source, overlay] = [
    new AdnlKey(range(3, 32)),
    new AdnlKey(range(4, 32)),
    Buffer.alloc(32, 5),
  ]
  const keyOf = ({ publicKey: key }: AdnlKey) => ({ kind: 'pub.ed25519', key }) as const
  const [src, issuedBy, expireAt] = [keyOf(source), keyOf(issuer), 2_000]
  /** `flags`: named in the certificate; `signsThem`: in what the issuer has signed too. */
  const authority = (size: number, maxSize: number, flags?: number, signsThem = true) => {
    const claim = { overlayId: overlay, node: shortId(src.key), expireAt, maxSize }
    const bytes =
      flags === undefined || !signsThem
        ? encodeBoxed(certificateId, claim)
        : encodeBoxed(certificateIdV2, { ...claim, flags })
    const fields = { issuedBy, expireAt, maxSize, signature: issuer.sign(bytes) }
    const certificate =
      flags === undefined
        ? ({ kind: 'overlay.certificate', ...fields } as const)
        : ({ kind: 'overlay.certificateV2', ...fields, flags } as const)
    const authorised = new Set([shortId(issuer.publicKey).toString('hex')])
    const check = { overlay, unixTime: 1_000, size, isSplit: size > 768, authorised }
    return authorityOf({ src, certificate }, check) !== undefined
  }
  expect([authority(700, 768), authority(5_000, 5_000), authority(5_001, 5_000)]).toEqual([true, true, false])
  // Not trusted, then no parts.
  expect([0, 1].map((flags) => authority(700, 6_000, flags))).toEqual([false, false])
  expect([0, 1].map((flags) => authority(5_000, 6_000, flags))).toEqual([false, false])
  expect(authority(5_000, 6_000, 2)).toBe(false)
  expect(authority(700, 6_000, 2)).toBe(true)
  // What is signed does not name the usual flags.
  expect([authority(5_000, 6_000, 3, false), authority(5_000, 6_000, 3, true)]).toEqual([true, false])
})

test('mutated messages cost no memory and raise nothing but DecodeError', async () => {
  const random = randomFrom(SEED)
  const messages = fecBroadcasts.flatMap(messagesOf)
  const { broadcasts, received } = listener(hex(fecBroadcasts[0]!.overlay), fecBroadcasts[0]!.date)
  for (let i = 0; i < 3_000; i++) {
    const message = Buffer.from(messages[i % messages.length]!)
    message[Math.floor(random() * message.length)]! ^= 1 + (i % 255)
    try {
      broadcasts.receive(message.subarray(0, i % 3 === 0 ? i % message.length : message.length))
    } catch (error) {
      expect((error as { code?: string }).code, `SEED=${SEED}`).toBe('decode_failed')
    }
  }
  await settle()
  // A byte of padding or of a certificate that nobody asked for changes nothing.
  const real = new Set(fecBroadcasts.map(({ payload }) => payload))
  for (const { payload } of received) expect(real.has(payload.toString('base64'))).toBe(true)
})

test('a source that opens many broadcasts and finishes none holds limited memory', () => {
  const source = new AdnlKey(range(3, 32))
  const overlay = Buffer.alloc(32, 5)
  const { broadcasts, clock } = listener(overlay, 1_750_000_000)
  const open = (fill: number) => broadcasts.receive(partOf(source, fill, 1_750_000_000))
  for (let i = 0; i < 60; i++) open(i)
  expect(broadcasts.counts).toMatchObject({ parts: 60, incomplete: 44, refused: 0 })
  clock.advance(10_000)
  open(100)
  expect(broadcasts.counts.incomplete).toBe(45)
})

/** The first part of a broadcast of two symbols. */
function partOf(key: AdnlKey, fill: number, date: number): Buffer {
  const data = Buffer.alloc(768, fill)
  const part = {
    kind: 'overlay.broadcastFec' as const,
    src: { kind: 'pub.ed25519' as const, key: key.publicKey },
    certificate: { kind: 'overlay.emptyCertificate' as const },
    dataHash: sha256(data),
    dataSize: 1_000,
    flags: 1,
    data,
    seqno: 0,
    fec: { kind: 'fec.raptorQ' as const, dataSize: 1_000, symbolSize: 768, symbolsCount: 2 },
    date,
    signature: Buffer.alloc(64),
  }
  const signature = key.sign(signedPartBytes(fecBroadcastId(part), part))
  return encodeUnion(overlayBroadcast, { ...part, signature })
}

test('parts of a broadcast that others have signed do not spoil it, nor is it received twice', async () => {
  const date = 1_750_000_000
  const overlay = Buffer.alloc(32, 5)
  const [sender, attacker] = [new AdnlKey(range(3, 32)), new AdnlKey(range(4, 32))]
  const payload = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7) & 255))
  const { broadcasts, received } = listener(overlay, date)
  for (const message of splitBroadcast(payload, { key: sender, unixTime: date })) {
    broadcasts.receive(signedAnew(message, attacker, (data) => Buffer.alloc(data.length)))
    broadcasts.receive(message)
    await settle()
    broadcasts.receive(signedAnew(message, new AdnlKey(range(5, 32)), (data) => data))
    await settle()
  }
  expect(received.map((broadcast) => broadcast.payload.equals(payload))).toEqual([true])
})

test('whoever opens large broadcasts and does not send them keeps nobody else out', async () => {
  const date = 1_750_000_000
  const { broadcasts, received, clock } = listener(Buffer.alloc(32, 5), date)
  const payload = Buffer.alloc(20_000, 3)
  const honest = [...splitBroadcast(payload, { key: new AdnlKey(range(9, 32)), unixTime: date })]
  const part = decodeUnion(overlayBroadcast, honest[0]!) as Parameters<typeof fecBroadcastId>[0]
  // Until there is no room for the smallest one.
  for (let [i, dataSize] = [0, 7 << 20]; dataSize > 4_000; i++) {
    const { incomplete } = broadcasts.counts
    const fec = { ...part.fec, dataSize, symbolsCount: Math.ceil(dataSize / 768) }
    const opened = encodeUnion(overlayBroadcast, { ...part, dataHash: Buffer.alloc(32, i), dataSize, fec })
    broadcasts.receive(signedAnew(opened, new AdnlKey(range(100 + i, 32))))
    clock.advance(20)
    if (broadcasts.counts.incomplete > incomplete) dataSize >>= 1
  }
  for (const message of honest) {
    broadcasts.receive(message)
    clock.advance(2)
    await settle()
  }
  expect(received.map((broadcast) => broadcast.payload.equals(payload))).toEqual([true])
})

/** A part as another source sends it, with other data. */
function signedAnew(
  message: Buffer,
  key: AdnlKey,
  change: (data: Buffer) => Buffer = (data) => data,
): Buffer {
  const decoded = decodeUnion(overlayBroadcast, message)
  if (decoded.kind !== 'overlay.broadcastFec') throw new Error('no part')
  const src = { kind: 'pub.ed25519' as const, key: key.publicKey }
  const part = { ...decoded, src, data: change(decoded.data) }
  const signature = key.sign(signedPartBytes(fecBroadcastId(part), part))
  return encodeUnion(overlayBroadcast, { ...part, signature })
}

test('prefixes of other protocols are none', () => {
  expect(withoutOverlayPrefix(Buffer.alloc(40))).toBeUndefined()
  expect(withoutOverlayPrefix(Buffer.alloc(3))).toBeUndefined()
})
