import { Builder, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { isFalseData } from '@shardwalk/p2p'
import { expect, test } from 'vitest'
import { Recording } from '../index.ts'
import { type BlockSignatures, decodeBlockSignatures, encodeBlockProof } from './block-proof-file.ts'

const recording = await Recording.open('fixtures/chain')
const { id } = recording.step(200)!.block
const file = (await recording.proof(id))!

test('a proof file of the node has one signature by the only validator', () => {
  const signatures = decodeBlockSignatures(file)!
  expect(signatures.kind).toBe('liteServer.signatureSet.ordinary')
  expect(
    signatures.signatures.map(({ nodeIdShort, signature }) => [nodeIdShort.length, signature.length]),
  ).toEqual([[32, 64]])
})

test('every masterchain block of the sample has its proof', async () => {
  for (let seqno = 1; seqno <= 529; seqno++)
    expect(
      decodeBlockSignatures((await recording.proof(recording.step(seqno)!.block.id))!)?.signatures,
    ).toHaveLength(1)
})

const header = Buffer.from('b5ee9c72010101010003000002aa', 'hex')
const pair = (n: number) => ({ nodeIdShort: Buffer.alloc(32, n), signature: Buffer.alloc(64, n + 100) })
const sets: readonly BlockSignatures[] = [
  {
    kind: 'liteServer.signatureSet.ordinary',
    validatorSetHash: 7,
    catchainSeqno: 9,
    signatures: [0, 1, 2].map(pair),
  },
  {
    kind: 'liteServer.signatureSet.simplex',
    ccSeqno: 9,
    validatorSetHash: 0xfffffff0,
    signatures: [4, 5].map(pair),
    sessionId: Buffer.alloc(32, 3),
    slot: 12345,
    candidate: Buffer.alloc(300, 8),
  },
]

test.each(sets)('$kind survives a round trip through a proof file', (set) => {
  expect(decodeBlockSignatures(encodeBlockProof(id, header, set))).toEqual(set)
})

/** A proof file whose signatures begin with this tag, and claim to be so many. */
function proofWith(tag: number, count: number): Buffer {
  const signatures = new Builder().storeUint(tag, 8).storeUint(7, 32).storeUint(9, 32).storeUint(count, 32)
  const root = new Builder().storeUint(0xc3, 8).storeBytes(Buffer.alloc(81)).storeRef(EMPTY_CELL)
  return serializeBoc(root.storeMaybeRef(signatures.storeUint(0, 65).endCell()).endCell())
}

test('signatures that a file only claims to have take no memory', () => {
  const before = process.memoryUsage.rss()
  expect(() => decodeBlockSignatures(proofWith(0x11, 33_000_000))).toThrow(/sig_count: is 33000000/)
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 << 20)
})

test('signatures of a newer form are no forgery of the node that sends them', () => {
  const read = () => decodeBlockSignatures(proofWith(0x13, 0))
  expect(read).toThrow(/block_signatures: unknown tag 13; update Shardwalk/)
  expect(isFalseData(catchError(read))).toBe(false)
})

const catchError = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}
