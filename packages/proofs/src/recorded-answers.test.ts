import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { decodeAnswer, decodeFunction, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import { describe, expect, test } from 'vitest'
import {
  type BlockSelector,
  ProofError,
  verifyLibrary,
  verifyLookup,
  verifyOutMsgQueueSize,
} from './index.ts'

interface Entry {
  readonly name: string
  readonly function: string
  readonly query: string
  readonly answer?: string
}

/** Recorded calls of a lite server function. */
function recorded<N extends keyof LiteResults & keyof LiteArguments>(file: string, name: N) {
  const path = new URL(`../../../fixtures/chain/liteserver-answers/${file}.json.gz`, import.meta.url)
  const { entries } = JSON.parse(gunzipSync(readFileSync(path)).toString()) as { entries: Entry[] }
  return entries.flatMap((entry) => {
    if (entry.function !== name || !entry.answer) return []
    const answer = decodeAnswer(name, Buffer.from(entry.answer, 'hex'))
    const args = decodeFunction(Buffer.from(entry.query, 'hex')).args as LiteArguments[N]
    return answer.ok ? [{ name: entry.name, args, answer: answer.value }] : []
  })
}

describe('lookups', () => {
  const lookups = recorded('blocks', 'liteServer.lookupBlock').map(({ name, args, answer }) => {
    const { id, lt, utime } = args
    const selector: BlockSelector =
      lt !== undefined ? { lt } : utime !== undefined ? { utime } : { seqno: id.seqno }
    return [name, { wanted: id, selector, answer }] as const
  })

  test.each(lookups)('recorded answer %s holds', (_, { wanted, selector, answer }) => {
    expect(verifyLookup(answer, wanted, selector).id).toEqual(answer.id)
  })

  test.each(lookups)('%s is refused as the answer to another question', (_, { wanted, selector, answer }) => {
    const refused = (changed: { workchain?: number; shard?: bigint }, by: BlockSelector, reason: RegExp) => {
      expect(() => verifyLookup(answer, { ...wanted, ...changed }, by)).toThrow(ProofError)
      expect(() => verifyLookup(answer, { ...wanted, ...changed }, by)).toThrow(reason)
    }
    refused({ workchain: -1 - wanted.workchain }, selector, /another shard/)
    refused({}, { seqno: answer.id.seqno + 1 }, /another seqno/)
    refused({}, { lt: 10n ** 18n }, /ends before/)
    refused({}, { utime: 2 ** 31 }, /older than the time/)
  })

  test('the sibling of the wanted shard is refused', () => {
    const [, { selector, answer }] = lookups.find(([name]) => name === 'lookupBlock-shard-exact')!
    const sibling = BigInt.asUintN(64, answer.id.shard ^ (1n << 63n))
    expect(() => verifyLookup(answer, { workchain: 0, shard: sibling }, selector)).toThrow(/another shard/)
  })

  test('an id with other hashes, or a proof with a flipped bit, is refused', () => {
    const [, { wanted, selector, answer }] = lookups[0]!
    const headerProof = Buffer.from(answer.headerProof)
    headerProof[headerProof.length >> 1]! ^= 1
    expect(() => verifyLookup({ ...answer, headerProof }, wanted, selector)).toThrow(ProofError)
    const id = { ...answer.id, rootHash: Buffer.alloc(32) }
    expect(() => verifyLookup({ ...answer, id }, wanted, selector)).toThrow(ProofError)
  })
})

describe('sizes of out message queues', () => {
  const answers = recorded('queues', 'liteServer.getBlockOutMsgQueueSize')
  const proven = answers.find(({ answer }) => answer.proof)!

  test('a recorded proof shows the size', () => {
    expect(verifyOutMsgQueueSize(proven.answer, proven.args.id)).toBe(proven.answer.size)
  })

  test('another size, another block, a broken proof and a missing proof are refused', () => {
    const { answer, args } = proven
    const proof = Buffer.from(answer.proof!)
    proof[proof.length >> 1]! ^= 1
    for (const forged of [
      { ...answer, size: answer.size + 1n },
      { ...answer, proof },
      { ...answer, proof: undefined },
      { ...answer, id: { ...answer.id, seqno: answer.id.seqno + 1 } },
    ])
      expect(() => verifyOutMsgQueueSize(forged, args.id)).toThrow(ProofError)
  })
})

describe('libraries', () => {
  const { answer, args } = recorded('libraries', 'liteServer.getLibrariesWithProof')[0]!
  const hash = args.libraryList[0]!

  test('libraries of a recorded answer are those the state publishes', () => {
    for (const wanted of args.libraryList)
      expect(verifyLibrary(answer, args.id, wanted)?.hash(), wanted.toString('hex')).toEqual(
        answer.result.find((entry) => entry.hash.equals(wanted))?.hash,
      )
    expect(answer.result.length).toBeGreaterThan(0)
  })

  test('an omitted library, another cell, another block and broken proofs are refused', () => {
    const flipped = (bytes: Buffer) =>
      Buffer.from(bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte)))
    const [first, second] = answer.result as [(typeof answer.result)[0], (typeof answer.result)[0]]
    for (const forged of [
      { ...answer, result: [] },
      { ...answer, result: [{ hash, data: first.hash.equals(hash) ? second.data : first.data }] },
      { ...answer, id: { ...answer.id, seqno: 1 } },
      { ...answer, stateProof: flipped(answer.stateProof) },
      { ...answer, dataProof: flipped(answer.dataProof) },
    ])
      expect(() => verifyLibrary(forged, args.id, hash)).toThrow(ProofError)
  })
})
