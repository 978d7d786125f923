import { expect } from 'vitest'

/**
 * `toEqual` compares buffers number by number, as any list, which took half the time of tests of blocks. A
 * buffer beside anything else is still compared by vitest.
 */
function areEqualBuffers(a: unknown, b: unknown): boolean | undefined {
  return Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : undefined
}

const IS_ADDED = Symbol.for('shardwalk: buffers are compared as a whole')
const worker = globalThis as { [IS_ADDED]?: true }

// Once in each worker: test files share it.
if (!worker[IS_ADDED]) expect.addEqualityTesters([areEqualBuffers])
worker[IS_ADDED] = true
