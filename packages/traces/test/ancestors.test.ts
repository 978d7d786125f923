import { randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AncestorRow, Ancestors, type PieceId, type PieceLink } from '../src/index.ts'

const pieceAt = (seqno: number, rank: number): PieceId => (BigInt(seqno) << 32n) | BigInt(rank)
const seqnoOf = (piece: PieceId): number => Number(piece >> 32n)

/** By definition: up along messages inside the smallest group of 8, 64, ... blocks with the sender. */
function expectedRows(links: readonly PieceLink[]): AncestorRow[] {
  const senders = new Map(links.map(({ sender, receiver }) => [receiver, sender]))
  const rows = links.map(({ receiver, sender }) => {
    let group = 1
    while (Math.floor(seqnoOf(sender) / group) !== Math.floor(seqnoOf(receiver) / group)) group *= 8
    let ancestor = sender
    for (let next = senders.get(sender); next !== undefined; next = senders.get(next)) {
      if (Math.floor(seqnoOf(next) / group) !== Math.floor(seqnoOf(receiver) / group)) break
      ancestor = next
    }
    return { piece: receiver, ancestor }
  })
  return sorted(rows)
}

const sorted = (rows: readonly AncestorRow[]) => [...rows].sort((a, b) => (a.piece < b.piece ? -1 : 1))

/** The table, as writers see it: each reads what `Ancestors` needs and writes what changed. */
class Table {
  readonly rows = new Map<PieceId, PieceId>()
  written = 0

  join(links: readonly PieceLink[]): void {
    const stored: AncestorRow[] = []
    for (const { sender } of links)
      for (let at = sender; this.rows.has(at); at = this.rows.get(at)!)
        stored.push({ piece: at, ancestor: this.rows.get(at)! })
    const receivers = new Set(links.map(({ receiver }) => receiver))
    for (const [piece, ancestor] of this.rows) if (receivers.has(ancestor)) stored.push({ piece, ancestor })
    const forest = new Ancestors(stored)
    for (const link of links) forest.join(link)
    for (const { piece, ancestor } of forest.changes()) {
      this.rows.set(piece, ancestor)
      this.written++
    }
  }

  stepsFrom(piece: PieceId): number {
    return this.rows.has(piece) ? 1 + this.stepsFrom(this.rows.get(piece)!) : 0
  }

  all(): AncestorRow[] {
    return sorted([...this.rows].map(([piece, ancestor]) => ({ piece, ancestor })))
  }
}

/** Messages of a random tree of pieces; `delay`: masterchain blocks between sender and receiver. */
const trees = fc
  .array(fc.record({ parent: fc.nat(), delay: fc.oneof(fc.nat(3), fc.nat(700)) }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((nodes) => {
    const pieces = [pieceAt(5, 0)]
    return nodes.map(({ parent, delay }, index): PieceLink => {
      const sender = pieces[parent % pieces.length]!
      const receiver = pieceAt(seqnoOf(sender) + 1 + delay, index)
      pieces.push(receiver)
      return { sender, receiver }
    })
  })

test('rows follow from the trace, whatever the order and grouping in which its pieces are joined', () => {
  fc.assert(
    fc.property(
      trees.chain((links) =>
        fc.record({
          links: fc.constant(links),
          order: fc.shuffledSubarray(links, { minLength: links.length }),
          size: fc.integer({ min: 1, max: 7 }),
        }),
      ),
      ({ links, order, size }) => {
        const table = new Table()
        for (let at = 0; at < order.length; at += size) table.join(order.slice(at, at + size))
        expect(table.all()).toEqual(expectedRows(links))
      },
    ),
    { numRuns: randomCases(1_000) },
  )
})

const LENGTH = 5_000
const chain = Array.from({ length: LENGTH }, (_, index) => ({
  sender: pieceAt(index + 1, 0),
  receiver: pieceAt(index + 2, 0),
}))

test.each([
  ['oldest first', chain, 1],
  // Seven ancestors are behind a group at most, and as many behind each larger group.
  ['newest first', [...chain].reverse(), 1 + 7 * 5],
])(`a chain of ${LENGTH} pieces, %s: few changes, and few steps to its beginning`, (_, order, most) => {
  const table = new Table()
  for (const link of order) table.join([link])
  expect(table.written / LENGTH).toBeLessThanOrEqual(most)
  expect(Math.max(...chain.map(({ receiver }) => table.stepsFrom(receiver)))).toBeLessThanOrEqual(5)
})
