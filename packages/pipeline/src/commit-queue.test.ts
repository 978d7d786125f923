import { expect, test } from 'vitest'
import { CommitQueue, type DecodedBatch } from './index.ts'

const batch = (mcBlockSeqno: number): DecodedBatch<number> =>
  ({ mcBlockSeqno, encoded: mcBlockSeqno, transactions: 1 }) as DecodedBatch<number>

/** A sink whose transactions end under control of the test. */
class HeldSink {
  /** Transactions that have begun, by their seqnos. */
  readonly begun: number[][] = []
  readonly bad = new Set<number>()
  private readonly ends: (() => void)[] = []

  async commit(batches: readonly DecodedBatch<number>[]): Promise<void> {
    const seqnos = batches.map(({ mcBlockSeqno }) => mcBlockSeqno)
    this.begun.push(seqnos)
    await new Promise<void>((resolve) => this.ends.push(resolve))
    if (seqnos.some((seqno) => this.bad.has(seqno))) throw new Error(`bad block among ${seqnos}`)
  }

  /** Ends the transaction that began first, and waits for everything that follows from it. */
  async endOne(): Promise<void> {
    this.ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function setUp() {
  const sink = new HeldSink()
  const committed: number[] = []
  const queue = new CommitQueue<number>({
    sink,
    parallel: 2,
    now: () => 0,
    onCommit: (batches) => committed.push(...batches.map(({ mcBlockSeqno }) => mcBlockSeqno)),
  })
  /** One block of the head, from begin to end. */
  const head = (seqno: number) => {
    const turn = queue.beginHead(seqno)
    const commit = () => turn.commit([batch(seqno)]).finally(turn.end)
    return { commit, end: turn.end }
  }
  return { sink, queue, committed, head }
}

test('blocks of the head are written in order, however early later ones are ready', async () => {
  const { sink, committed, head } = setUp()
  const [first, second, third] = [head(1), head(2), head(3)]
  const done = [third.commit(), second.commit()]
  expect(sink.begun).toEqual([])
  done.push(first.commit())
  await sink.endOne()
  await Promise.all(done)
  expect(committed).toEqual([1, 2, 3])
})

test('blocks of the head that wait for a slow transaction are written in one', async () => {
  const { sink, head } = setUp()
  const done = [head(1).commit()]
  for (const seqno of [2, 3, 4]) done.push(head(seqno).commit())
  await sink.endOne()
  await sink.endOne()
  await Promise.all(done)
  expect(sink.begun).toEqual([[1], [2, 3, 4]])
})

test('a failed block does not delay the blocks after it', async () => {
  const { sink, head } = setUp()
  const [first, second] = [head(1), head(2)]
  const done = second.commit()
  first.end()
  await sink.endOne()
  await done
  expect(sink.begun).toEqual([[2]])
})

test('only the block that cannot be written fails', async () => {
  const { sink, committed, head } = setUp()
  sink.bad.add(3)
  const done = [1, 2, 3, 4].map((seqno) => head(seqno).commit())
  const outcomes = Promise.allSettled(done)
  for (let transaction = 0; transaction < 5; transaction++) await sink.endOne()
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(committed).toEqual([1, 2, 4])
})

test('history waits while the head writes, and otherwise runs as parallel as allowed', async () => {
  const { sink, queue, head } = setUp()
  const done = [head(9).commit()]
  for (const seqno of [1, 2, 3]) done.push(queue.commit([batch(seqno)]))
  expect(sink.begun).toEqual([[9]])
  await sink.endOne()
  expect(sink.begun).toEqual([[9], [1], [2]])
  done.push(head(10).commit())
  await sink.endOne()
  expect(sink.begun).toEqual([[9], [1], [2], [10]])
  for (let transaction = 0; transaction < 3; transaction++) await sink.endOne()
  await Promise.all(done)
  expect(sink.begun.at(-1)).toEqual([3])
})

test('history that is given up while it waits leaves the queue, and its blocks are not kept', async () => {
  const { sink, queue, committed } = setUp()
  const done = [queue.commit([batch(1)]), queue.commit([batch(2)])]
  const controller = new AbortController()
  const given = queue.commit([batch(3)], { signal: controller.signal })
  done.push(queue.commit([batch(4)]))
  controller.abort(new Error('given up'))
  await expect(given).rejects.toThrow('given up')
  for (let ends = 0; ends < 3; ends++) await sink.endOne()
  await Promise.all(done)
  expect(committed).toEqual([1, 2, 4])
  await expect(queue.commit([batch(5)], { signal: controller.signal })).rejects.toThrow('given up')
})

test('a transaction with history that has begun goes on when its job is given up', async () => {
  const { sink, queue, committed } = setUp()
  const controller = new AbortController()
  const order: string[] = []
  const done = queue.commit([batch(1)], { signal: controller.signal, onBegin: () => order.push('begun') })
  controller.abort(new Error('given up'))
  await sink.endOne()
  await done
  expect([order, committed]).toEqual([['begun'], [1]])
})
