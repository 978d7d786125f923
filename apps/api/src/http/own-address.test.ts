import { expect, test } from 'vitest'
import { rootOf } from './own-address.ts'

test.each([
  ['/', './'],
  ['/docs', './'],
  ['/docs/', '../'],
  ['/docs/console?from=/a/b', '../'],
  ['/tx/00/trace', '../../'],
  // A browser keeps a folder without a name.
  ['//docs', '../'],
  ['http://example.org/docs/console', '../'],
  ['http://example.org', './'],
  ['', './'],
])('from %s the root is %s', (originalUrl, root) => {
  expect(rootOf({ originalUrl })).toBe(root)
})

test('a long address does not make links long', () => {
  expect(rootOf({ originalUrl: '/'.repeat(16_000) }).length).toBeLessThan(100)
})
