import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
// Loaded before every test file with this.
import './compare-buffers.ts'

/**
 * `@ton/core`, the oracle of many tests, spends most of its time in a SHA-256 written in JavaScript. Tests
 * replace it with that of Node.
 */
const require = createRequire(import.meta.url)
const sha256 = require('@ton/crypto/dist/primitives/sha256.js') as {
  sha256_sync(source: Buffer | string): Buffer
}
sha256.sha256_sync = (source) => createHash('sha256').update(source).digest()
