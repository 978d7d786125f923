import { expect, test } from 'vitest'
import { isVerifierOf, scramVerifier } from './scram.ts'

test('a verifier is that of its password only', () => {
  const verifier = scramVerifier('correct horse')
  expect(verifier).toMatch(/^SCRAM-SHA-256\$4096:[^$]+\$[^:]{44}:.{44}$/)
  expect(isVerifierOf(verifier, 'correct horse')).toBe(true)
  expect(isVerifierOf(verifier, 'battery staple')).toBe(false)
  expect(isVerifierOf('md5abc', 'correct horse')).toBe(false)
})
