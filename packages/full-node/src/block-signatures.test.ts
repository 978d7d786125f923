import { readFileSync } from 'node:fs'
import { decodeCandidateHashData } from '@shardwalk/tl'
import { expect, test } from 'vitest'
import { signaturesOfSet } from './block-signatures.ts'

const { simplex } = JSON.parse(
  readFileSync(new URL('../../../fixtures/proofs/signatures.json', import.meta.url), 'utf8'),
) as { simplex: Readonly<Record<'session_id' | 'candidate_ordinary' | 'candidate_empty', string>> }

test.each(['candidate_ordinary', 'candidate_empty'] as const)(
  'simplex signatures cover the bytes of the %s, unless the block is notarised only',
  (name) => {
    const candidate = Buffer.from(simplex[name], 'hex')
    const set = {
      kind: 'tonNode.signatureSet.simplex' as const,
      final: true,
      ccSeqno: 3,
      validatorSetHash: 4,
      signatures: [{ who: Buffer.alloc(32, 1), signature: Buffer.alloc(64, 2) }],
      sessionId: Buffer.from(simplex.session_id, 'hex'),
      slot: 5,
      candidate: decodeCandidateHashData(candidate),
    }
    expect(signaturesOfSet(set)).toEqual({
      kind: 'liteServer.signatureSet.simplex',
      ...{ ccSeqno: 3, validatorSetHash: 4, sessionId: set.sessionId, slot: 5, candidate },
      signatures: [{ nodeIdShort: Buffer.alloc(32, 1), signature: Buffer.alloc(64, 2) }],
    })
    expect(signaturesOfSet({ ...set, final: false })).toBeUndefined()
  },
)
