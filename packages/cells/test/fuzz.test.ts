import { DecodeError } from '@shardwalk/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forEachLeaf, loadDictRoot, parseBoc, type Slice } from '../src/index.ts'
import { fixture } from './fixtures.ts'

const SOURCES = [
  'mainnet_-1_8000000000000000_58508098.boc',
  'mainnet_0_8000000000000000_29836576.boc',
  'mainnet_0_a000000000000000_54302203.boc',
  'variants/boc_legacy_idx.boc',
  'variants/boc_two_roots.boc',
  'proofs/account_proof_0_8000000000000000_31618192.boc',
].map(fixture)

const mutation = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) })
const mutated = fc
  .record({
    source: fc.constantFrom(...SOURCES),
    changes: fc.array(mutation, { minLength: 1, maxLength: 4 }),
    headerOnly: fc.boolean(),
    cut: fc.option(fc.nat(), { freq: 5 }),
  })
  .map(({ source, changes, headerOnly, cut }) => {
    const bytes = Buffer.from(cut === null ? source : source.subarray(0, cut % source.length))
    const range = headerOnly ? Math.min(32, bytes.length) : bytes.length
    if (range > 0) for (const { at, value } of changes) bytes[at % range] = value
    return bytes
  })

/** Runs a reader over hostile bytes: it must either succeed or throw DecodeError. */
function refusesOrReads(read: () => void): void {
  try {
    read()
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError)
  }
}

test('damaged bytes are either read and hashed or refused with a DecodeError', () => {
  const started = performance.now()
  const report = fc.check(
    fc.property(mutated, (bytes) => {
      refusesOrReads(() => {
        const bag = parseBoc(bytes, { verifyCrc: false, allowLevel: true })
        bag.hashAll()
        for (const root of bag.roots) bag.cell(root).hash()
      })
    }),
    { numRuns: 1500 },
  )
  expect(report.failed, `seed ${report.seed}: ${report.errorInstance}`).toBe(false)
  expect(performance.now() - started).toBeLessThan(60_000)
})

test('arbitrary bytes are not accepted as a bag of cells', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      refusesOrReads(() => void parseBoc(bytes))
      refusesOrReads(() => void parseBoc(Buffer.concat([Buffer.from('b5ee9c72', 'hex'), bytes])))
    }),
    { numRuns: 2000 },
  )
})

test('reading any cell as a dictionary of any width terminates or is refused', () => {
  const bag = parseBoc(SOURCES[2]!)
  const walks = fc.record({ cell: fc.nat({ max: bag.count - 1 }), bits: fc.integer({ min: 1, max: 300 }) })
  fc.assert(
    fc.property(walks, ({ cell, bits }) => {
      const visit = (read: (slice: Slice) => Slice | undefined) =>
        refusesOrReads(() => forEachLeaf(read(bag.slice(cell)), bits, () => undefined))
      visit((slice) => slice)
      visit(loadDictRoot)
    }),
    { numRuns: 1500 },
  )
})
