import { isFalseData, NoPeerAnswered } from '@shardwalk/p2p'
import { FormNotKnown, ProofError } from '@shardwalk/proofs'
import { expect, test } from 'vitest'

test('a full node is banned for a wrong proof, but for no proof of a newer form', () => {
  expect(isFalseData(new ProofError('block', 'wrong root hash'))).toBe(true)
  expect(isFalseData(new FormNotKnown('config parameter 34: unknown tag 13'))).toBe(false)
  expect(isFalseData(new NoPeerAnswered('none'))).toBe(false)
})
