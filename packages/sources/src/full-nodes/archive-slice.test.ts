import { MASTERCHAIN } from '@shardwalk/model'
import { generatedChain, randomFrom, signedProof } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { encodeEntryHeader, encodePackHeader } from '../pack/format.ts'
import { formatEntryName } from '../pack/names.ts'
import { readSlice } from './archive-slice.ts'

const blocks = [...generatedChain({ seed: 1, steps: 4 })].map(({ masterchain }) => masterchain.raw)
const entry = (name: string, data: Buffer) => Buffer.concat([encodeEntryHeader(name, data.length), data])
const proofs = blocks.map((block) => signedProof(block))
const file = Buffer.concat([
  encodePackHeader(),
  ...blocks.flatMap(({ id, bytes }, i) => [
    entry(formatEntryName('proof', id), proofs[i]!),
    entry(formatEntryName('prooflink', id), Buffer.alloc(1 << 20)),
    entry(formatEntryName('block', id), bytes),
  ]),
])

async function* piecesOf(bytes: Buffer, length: () => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + length())
    at += piece.length
    yield piece
  }
}

test('a file is read as it arrives, however it is cut, and only blocks and proofs are kept', async () => {
  const random = randomFrom(testSeed())
  const read = await readSlice(piecesOf(file, () => 4 + Math.floor(random() * 200_000)))
  const kept = [...blocks.map(({ bytes }) => bytes), ...proofs]
  expect([...read.blocks.values(), ...read.proofs.values()]).toEqual(kept)
  expect(read.size).toBe(kept.reduce((sum, { length }) => sum + length, 0))
  // No piece of the file is kept alive by a view of it.
  for (const bytes of [...read.blocks.values(), ...read.proofs.values()])
    expect(bytes.buffer.byteLength).toBe(bytes.length)
  expect([...read.masterchain.keys()]).toEqual(blocks.map(({ id }) => id.seqno))
  expect([...read.masterchain.values()].flat().every(({ workchain }) => workchain === MASTERCHAIN)).toBe(true)
})

test('an entry that is too large ends the download at once, one that is cut off is left out', async () => {
  let sent = 0
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.concat([encodePackHeader(), encodeEntryHeader('huge', 1 << 30)])
    for (; ; sent++) yield Buffer.alloc(1 << 20)
  }
  await expect(readSlice(endless())).rejects.toThrow('has an entry of 1073741824 bytes')
  expect(sent).toBe(0)
  const read = await readSlice(piecesOf(file.subarray(0, -1), () => file.length))
  expect(read.blocks.size).toBe(blocks.length - 1)
  await expect(readSlice(piecesOf(Buffer.from('<html>'), () => 6))).rejects.toThrow('package magic')
})
