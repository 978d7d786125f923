import { type Archive, type FullNodeClient, NoPeerAnswered } from '@shardwalk/p2p'
import { FormNotKnown, ProofError } from '@shardwalk/proofs'
import { expect, test } from 'vitest'
import { ArchiveSlices } from './archive-slices.ts'
import type { KeyBlocks } from './key-blocks.ts'

test.each([
  ['false', new ProofError('block proof', 'wrong'), 'refuse'],
  ['in an unknown form', new FormNotKnown('block_signatures: unknown tag 13'), 'postpone'],
  ['broken off', new NoPeerAnswered('silence'), undefined],
])('a node whose archive is %s is asked again accordingly', async (_how, error, expected) => {
  const reports = new Set<string>()
  const archive: Archive = {
    start: 1,
    // biome-ignore lint/correctness/useYield: the file cannot be read.
    async *pieces() {
      throw error
    },
    refuse: () => void reports.add('refuse'),
    postpone: () => void reports.add('postpone'),
  }
  const client = { findArchive: async () => archive } as unknown as FullNodeClient
  expect(await new ArchiveSlices(client, {} as KeyBlocks).load(5)).toBeUndefined()
  expect([...reports]).toEqual(expected ? [expected] : [])
})
