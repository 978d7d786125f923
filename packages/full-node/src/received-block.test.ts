import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { parseBoc, sha256 } from '@shardwalk/cells'
import { peerFixture, randomFrom } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { decodeUnion, encodeUnion, tonNodeAnswer, tonNodeBroadcast, tonNodeFunction } from '@shardwalk/tl'
import { describe, expect, test } from 'vitest'
import { decodeCells } from './compressed-cells.ts'
import { isBlockBroadcast, readBlockBroadcast, readDataFull } from './index.ts'
import { decompressLz4, storeLz4 } from './lz4.ts'

const SEED = testSeed()
const base64 = (text: string) => Buffer.from(text, 'base64')

interface RecordedPayload {
  readonly type: string
  readonly payload: string
}
const payloads = [
  ...peerFixture<RecordedPayload>('broadcast-payloads'),
  ...peerFixture<RecordedPayload>('broadcasts-fec'),
]
const blocks = payloads.filter(({ type }) => /tonNode.blockBroadcast/.test(type))

test('recorded broadcasts give the blocks that they name, compressed or not', () => {
  const kinds = new Map<string, number>()
  for (const { type, payload } of blocks) {
    const broadcast = decodeUnion(tonNodeBroadcast, base64(payload))
    if (!isBlockBroadcast(broadcast)) throw new Error(broadcast.kind)
    const block = readBlockBroadcast(broadcast)
    expect(sha256(block.bytes)).toEqual(block.id.fileHash)
    const bag = parseBoc(block.bytes)
    expect(bag.hash(bag.root)).toEqual(block.id.rootHash)
    const proof = parseBoc(block.proof)
    expect(proof.bitLength(proof.root)).toBeGreaterThan(0)
    kinds.set(type, (kinds.get(type) ?? 0) + 1)
  }
  expect([...kinds.keys()].sort()).toEqual(['tonNode.blockBroadcast', 'tonNode.blockBroadcastCompressed'])
})

test('recorded broadcasts of other kinds are no blocks', () => {
  for (const { type, payload } of payloads) {
    if (!/newShardBlock|externalMessage/.test(type)) continue
    expect(isBlockBroadcast(decodeUnion(tonNodeBroadcast, base64(payload)))).toBe(false)
  }
})

test('a broadcast whose block was changed is refused', () => {
  for (const { payload } of blocks.slice(0, 20)) {
    const broadcast = decodeUnion(tonNodeBroadcast, base64(payload))
    if (broadcast.kind !== 'tonNode.blockBroadcast' && broadcast.kind !== 'tonNode.blockBroadcastCompressed')
      continue
    const id = { ...broadcast.id, fileHash: Buffer.alloc(32, 1) }
    expect(() => readBlockBroadcast({ ...broadcast, id })).toThrow(/is not the block of its id/)
  }
})

interface Exchange {
  readonly function: string
  readonly queryTl: string
  readonly answerType: string | null
  readonly answerTl: string | null
}

describe('recorded queries to full nodes', () => {
  const exchanges = peerFixture<Exchange>('full-node')

  test('are read and written again byte for byte, behind the prefix of their overlay', () => {
    let read = 0
    for (const { function: name, queryTl } of exchanges) {
      const query = base64(queryTl).subarray(36)
      // Persistent states are not asked for.
      if (/PersistentState/.test(name)) continue
      const decoded = decodeUnion(tonNodeFunction, query)
      expect(decoded.kind).toBe(name)
      expect(encodeUnion(tonNodeFunction, decoded)).toEqual(query)
      read++
    }
    expect(read).toBeGreaterThan(150)
  })

  test('have answers that are read and written again byte for byte, and hold the blocks asked for', () => {
    let full = 0
    for (const { answerType, answerTl } of exchanges) {
      if (!answerTl || !answerType || answerType === 'raw file' || /persistentState/i.test(answerType))
        continue
      const answer = decodeUnion(tonNodeAnswer, base64(answerTl))
      expect(encodeUnion(tonNodeAnswer, answer)).toEqual(base64(answerTl))
      if (answer.kind !== 'tonNode.dataFull') continue
      expect(sha256(readDataFull(answer)!.bytes)).toEqual(answer.id.fileHash)
      full++
    }
    expect(full).toBeGreaterThan(5)
  })
})

const NOWHERE = {
  workchain: 0,
  shard: 1n << 63n,
  seqno: 1,
  rootHash: Buffer.alloc(32),
  fileHash: Buffer.alloc(32),
}
const COMPRESSED = {
  kind: 'tonNode.dataFullCompressedV2',
  flags: 0,
  proof: Buffer.alloc(0),
  isLink: true,
} as const

describe('blocks compressed by the node', () => {
  const vectors = JSON.parse(readFileSync('fixtures/p2p/compressed-blocks.json', 'utf8')) as readonly {
    readonly block: string
    readonly compressed: string
  }[]

  test.each(vectors)('$block has the same cells', ({ block, compressed }) => {
    const bag = parseBoc(readFileSync(`fixtures/blocks/${block}`))
    const container = base64(compressed)
    const [root] = decodeCells(decompressLz4(container.subarray(5), container.readUInt32BE(1)))
    expect(root?.hash()).toEqual(bag.hash(bag.root))
  })

  test('mainnet_0_8000000000000000_29836576.boc is the same file', () => {
    const { block, compressed } = vectors.find(({ block }) => block.startsWith('mainnet'))!
    const file = readFileSync(`fixtures/blocks/${block}`)
    const id = { ...NOWHERE, fileHash: sha256(file) }
    const received = readDataFull({ ...COMPRESSED, id, blockCompressed: base64(compressed) })
    expect(received?.bytes).toEqual(file)
  })

  test('that are damaged are refused without much memory, and never anything else', () => {
    const random = randomFrom(SEED)
    for (let i = 0; i < 2_000; i++) {
      const bytes = base64(vectors[i % vectors.length]!.compressed)
      bytes[5 + Math.floor(random() * (bytes.length - 5))]! ^= 1 + (i % 255)
      const damaged = () =>
        readDataFull({
          ...COMPRESSED,
          id: NOWHERE,
          blockCompressed: i % 5 === 0 ? bytes.subarray(0, i % bytes.length) : bytes,
        })
      expect(damaged, `SEED=${SEED} ${i}`).toThrow(expect.objectContaining({ code: 'decode_failed' }))
    }
  })
})

/** Bits, as digits, filled up with zeros to a byte. */
const bytesOf = (bits: string): Buffer =>
  Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))

test('a state update as deep as no cell may be is refused like any other damage', () => {
  const u = (value: number, bits: number) => value.toString(2).padStart(bits, '0')
  // A block of which the third reference is an update to ever one more node whose balance is to be computed.
  const chain = 50_000
  const ofByte = '10001000'
  const heads = [
    `0000${u(3, 4)}${ofByte}`,
    `0000${u(0, 4)}${ofByte}`,
    `0001${u(2, 4)}${ofByte}`,
    `0000${u(0, 4)}${ofByte}`,
  ]
  const balances = `${u(9, 4)}${u(1, 4)}`.repeat(chain - 1) + u(9, 4) + u(0, 4)
  const toNext = `110${'10'}${'1'.repeat(chain - 1)}`
  // Both other references are those to the node after the next.
  const toOthers = '0'.repeat(2 * (1 + 16))
  const bits = [u(1, 32), u(0, 32), u(chain + 4, 32), ...heads, balances, toNext, toOthers].join('')
  const stream = Buffer.concat([bytesOf(bits), Buffer.of(0, 0, 4, 0)])
  expect(() => decodeCells(stream)).toThrow(expect.objectContaining({ code: 'decode_failed' }))
  expect(() => decodeCells(stream)).toThrow('too deep')
})

describe('LZ4', () => {
  test('of data that were not compressed, and of matches that overlap', () => {
    const plain = Buffer.from('abcdefghijklmno')
    expect(decompressLz4(Buffer.concat([Buffer.of(0xf0, 0), plain]), 100)).toEqual(plain)
    // One literal, then the same 23 times, then five literals.
    const run = Buffer.concat([Buffer.of(0x1f, 0x61, 1, 0, 4, 0x50), Buffer.from('edcba')])
    expect(decompressLz4(run, 100).toString()).toBe(`${'a'.repeat(24)}edcba`)
  })

  test('stored as it is, of any length, is read', () => {
    for (const length of [0, 1, 14, 15, 16, 269, 270, 271, 5_000]) {
      const plain = Buffer.alloc(length, 7)
      expect(decompressLz4(storeLz4(plain), length)).toEqual(plain)
    }
  })

  test('that claims more than is allowed, or ends early, is refused', () => {
    const bomb = Buffer.concat([Buffer.of(0x1f, 0x61, 1, 0), Buffer.alloc(5_000, 255), Buffer.of(0)])
    expect(() => decompressLz4(bomb, 1_000_000)).toThrow(/more than/)
    expect(() => decompressLz4(gzipSync('x'), 100)).toThrow(/lz4/)
    expect(() => decompressLz4(Buffer.of(0x10, 0x61, 9, 0), 100)).toThrow(/offset 9/)
  })
})
