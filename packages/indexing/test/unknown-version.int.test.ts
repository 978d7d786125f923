import { BatchSink, claimNetwork, countQuarantine, listQuarantined, tableChecksums } from '@shardwalk/db'
import { DecodeError } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { BatchFetcher, type BlockSource, type RawBatch, seqnosOf } from '@shardwalk/pipeline'
import { generatedChain, generatedSource, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseSink } from '../src/database-sink.ts'
import { BatchDecoder, repairQuarantined } from '../src/index.ts'

const RANGE = { from: 1, to: 8 }
/** Between known ones, so that messages cross both borders. */
const UNKNOWN = { from: 3, to: 6 }
const steps = [...generatedChain({ seed: 31, steps: RANGE.to, transactions: 10 })]
const { signal } = new AbortController()
const later = generatedSource(steps)

/** As of a version of the program that cannot decode the key block before the blocks `UNKNOWN`. */
const source: BlockSource = {
  ...later,
  async globalVersionAtKeyBlock(_, { inForceAt } = {}) {
    const seqno = (inForceAt?.seqno ?? 0) + 1
    if (seqno >= UNKNOWN.from && seqno <= UNKNOWN.to) throw new DecodeError('block', 'cannot be decoded')
    return 12
  },
}

let decoder: BatchDecoder
beforeAll(() => {
  decoder = new BatchDecoder(1)
})
afterAll(() => decoder.close())

async function index(
  of: BlockSource,
  { db, pool }: ScratchDatabase,
  order: (a: RawBatch, b: RawBatch) => number,
) {
  await claimNetwork(db, await later.zerostateId())
  const fetch = new BatchFetcher(of).range(RANGE, { urgent: false, signal })
  const batches = await Promise.all(seqnosOf(RANGE).map(fetch))
  const sink = new DatabaseSink(db, new BatchSink(pool), decoder)
  for (const batch of batches.sort(order)) await sink.commit([await decoder.decode(batch, { urgent: false })])
}

const forwards = (a: RawBatch, b: RawBatch) => a.mcBlockSeqno - b.mcBlockSeqno
const backwards = (a: RawBatch, b: RawBatch) => forwards(b, a)

test.each([
  ['forwards', forwards],
  ['backwards', backwards],
])(
  'without a global version only the slot that it explains is missing, until it is repaired: %s',
  async (_, order) => {
    const whole = await scratchDatabase()
    const lacking = await scratchDatabase()
    try {
      await index(later, whole, order)
      await index(source, lacking, order)
      expect(await withoutMessages(lacking)).toEqual(await withoutMessages(whole))
      expect(await slots(lacking)).toEqual((await slots(whole)).map((row) => expectedSlots(row)))
      expect(await countQuarantine(lacking.db)).toEqual({
        blocks: 0,
        transactions: 0,
        states: 0,
        versions: 4,
      })
      expect(await listQuarantined(lacking.db)).toEqual([UNKNOWN])

      await repairQuarantined({
        source: later,
        database: lacking,
        log: silentLogger,
        signal,
        decodeThreads: 1,
        decoder,
      })
      expect(await countQuarantine(lacking.db)).toEqual({
        blocks: 0,
        transactions: 0,
        states: 0,
        versions: 0,
      })
      expect(await tableChecksums(lacking.db)).toEqual(await tableChecksums(whole.db))
    } finally {
      await whole.close()
      await lacking.close()
    }
  },
)

async function withoutMessages({ db }: ScratchDatabase) {
  const all = await tableChecksums(db)
  expect(all.has('transactions')).toBe(true)
  return new Map([...all].filter(([table]) => table !== 'messages' && table !== 'quarantine'))
}

interface Slots {
  readonly hash: string
  readonly ihr_fee: bigint | null
  readonly extra_flags: string | null
  /** Masterchain block of the transaction whose batch writes the row. */
  readonly writer: number
}

/** Internal messages, and which masterchain block wrote each: its sender's, if that is indexed. */
async function slots({ pool }: ScratchDatabase): Promise<Slots[]> {
  const { rows } = await pool.query<Slots>(
    `select encode(m.hash, 'hex') as hash, m.ihr_fee, m.extra_flags,
       coalesce(
         (select t.mc_block_seqno from transactions t where t.account_id = m.account_id and t.lt < m.lt
            and m.lt <= t.lt + t.out_msg_count),
         (select t.mc_block_seqno from transactions t
            where t.in_msg_account_id = m.account_id and t.in_msg_lt = m.lt),
         (select t.mc_block_seqno from transactions t
            where t.account_id = m.account_id and t.lt = m.lt and t.in_msg_account_id is null)) as writer
     from messages m where m.kind = 0 order by 1`,
  )
  return rows
}

const expectedSlots = (row: Slots): Slots => {
  const isKnown = row.writer < UNKNOWN.from || row.writer > UNKNOWN.to
  return isKnown ? row : { ...row, ihr_fee: null, extra_flags: null }
}
