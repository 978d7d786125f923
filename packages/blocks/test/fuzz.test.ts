import { parseBoc, sha256 } from '@shardwalk/cells'
import { type DecodedTransaction, DecodeError } from '@shardwalk/model'
import { isLong, randomCases } from '@shardwalk/testkit/runs'
import { forEachInMsg, forEachOutMsg, loadValueFlow } from '@shardwalk/tlb'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeOpenBlock } from '../src/decode-block.ts'
import { openBlock } from '../src/index.ts'
import { rawBlockOf } from './fixtures.ts'

const SOURCES = [
  'mainnet_-1_8000000000000000_58508098.boc',
  'mainnet_0_a000000000000000_54302203.boc',
  'everscale_-1_8000000000000000_24715347.boc',
  'everscale_0_8000000000000000_31806148.boc',
].map((file) => rawBlockOf(file))

const RUNS = randomCases(4000)

const change = fc.record({ at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) })
const damage = fc.record({
  source: fc.constantFrom(...SOURCES),
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
})

/** Leaves the block readable but for a transaction, as few damages do. */
const ONE_TRANSACTION = { source: SOURCES[2]!, changes: [{ at: 39_883, mask: 1 }] }

/** Damages data after the header and gives the result a matching id, so that every id check passes. */
function damaged({
  source,
  changes,
}: {
  source: (typeof SOURCES)[number]
  changes: readonly { at: number; mask: number }[]
}) {
  const bytes = Buffer.from(source.bytes)
  const from = parseBoc(bytes, { verifyCrc: false }).offsets[0]!
  for (const { at, mask } of changes) bytes[from + (at % (bytes.length - from - 4))]! ^= mask
  const bag = parseBoc(bytes, { verifyCrc: false, trustStoredHashes: true })
  return { bytes, id: { ...source.id, fileHash: sha256(bytes), rootHash: bag.hash(bag.root) } }
}

test('a damaged block with a matching id is read, read in part, or refused with a DecodeError', () => {
  const outcomes = { read: 0, inPart: 0, refused: 0 }
  const report = fc.check(
    fc.property(damage, (spec) => {
      try {
        const open = openBlock(damaged(spec))
        loadValueFlow(open.valueFlow.clone())
        forEachInMsg(open.extra.inMsgDescr, () => undefined)
        forEachOutMsg(open.extra.outMsgDescr, () => undefined)
        outcomes[decodeOpenBlock(open).unread ? 'inPart' : 'read']++
      } catch (error) {
        outcomes.refused++
        expect(error).toBeInstanceOf(DecodeError)
      }
    }),
    { numRuns: RUNS, examples: [[ONE_TRANSACTION]] },
  )
  expect(report.failed, `seed ${report.seed}: ${report.errorInstance}`).toBe(false)
  // Every outcome must occur, or the test proves nothing.
  expect(outcomes.read).toBeGreaterThan(RUNS / 30)
  // Rare: a short run is sure of the given case only.
  expect(outcomes.inPart).toBeGreaterThan(isLong ? 20 : 0)
  expect(outcomes.refused).toBeGreaterThan(RUNS / 30)
})

test('an unreadable transaction is listed with the path to the error, and all others are read', () => {
  const raw = rawBlockOf('mainnet_-1_8000000000000000_58508098.boc')
  const whole = decodeOpenBlock(openBlock(raw))
  const bytes = Buffer.from(raw.bytes)
  const bag = parseBoc(bytes, { verifyCrc: false })
  // Changes the tag of a tick transaction's description (001) to that of an ordinary one, whose fields do not
  // fit.
  const description = Array.from({ length: bag.count }, (_, i) => i).find((i) => {
    const [first] = bytes.subarray(bag.dataOffset(i))
    return first! >> 4 === 2 && bag.bitLength(i) > 4 && bag.bitLength(i) < 40 && bag.refCount(i) === 2
  })!
  bytes[bag.dataOffset(description)]! ^= 0b11000000
  const again = parseBoc(bytes, { verifyCrc: false, trustStoredHashes: true })
  const id = { ...raw.id, fileHash: sha256(bytes), rootHash: again.hash(again.root) }
  const { transactions, unread } = decodeOpenBlock(openBlock({ id, bytes }))
  expect(unread).toHaveLength(1)
  const [{ kind, account, lt, reason, boc }] = unread as [NonNullable<typeof unread>[0]]
  expect(kind).toBe('transaction')
  expect(reason).toMatch(
    /^account_blocks\[-1:\w{64}\]\.transactions\[\d+\]\.description\.transaction_descr: unknown tag 111/,
  )
  expect(parseBoc(boc!).roots).toHaveLength(1)
  const isOther = (tx: DecodedTransaction) => !(tx.lt === lt && tx.account.hash.equals(account.hash))
  expect(transactions.map((tx) => tx.lt)).toEqual(whole.transactions.filter(isOther).map((tx) => tx.lt))
})
