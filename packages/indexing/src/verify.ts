import { decodeBlock } from '@shardwalk/blocks'
import {
  assertRetained,
  countQuarantine,
  findProvedRange,
  storedDifferences,
  totalQuarantine,
} from '@shardwalk/db'
import { type DecodedBlock, DecodeError } from '@shardwalk/model'
import { BatchFetcher, type RawBatch, type SeqnoRange, seqnosOf, Window } from '@shardwalk/pipeline'
import type { TaskOptions } from './repair.ts'

/** Masterchain blocks fetched ahead of the comparison. */
const AHEAD = 8

/** `incomplete`: what is stored is correct, but parts of the range are in quarantine. */
export type Verdict = 'same' | 'different' | 'incomplete'

/** Fetches a stored range again, compares it and logs differences. Throws `NotRetained`. */
export async function verify(range: SeqnoRange, options: TaskOptions): Promise<Verdict> {
  const { source, database, log, signal } = options
  await assertRetained(database.db, range)
  const fetch = new BatchFetcher(source).range(range, { urgent: false, signal })
  let differences = 0
  for await (const batch of new Window(seqnosOf(range), AHEAD, fetch)) {
    for (const difference of await storedDifferences(database.db, batch.mcBlockSeqno, decodable(batch))) {
      differences++
      log.error('stored data differ', { mc_block_seqno: batch.mcBlockSeqno, difference })
    }
  }
  const quarantined = await countQuarantine(database.db, range)
  const inQuarantine = totalQuarantine(quarantined)
  if (inQuarantine > 0) log.warn('parts of the range are in quarantine', { ...quarantined })
  log.info('range verified', {
    ...range,
    differences,
    quarantined: inQuarantine,
    proved: provedPart(range, await findProvedRange(database.db)),
  })
  if (differences > 0) return 'different'
  return inQuarantine > 0 ? 'incomplete' : 'same'
}

/** The part of the range that is proven by validator signatures. */
function provedPart(range: SeqnoRange, proved: SeqnoRange | undefined): string {
  const from = Math.max(range.from, proved?.from ?? 0)
  const to = Math.min(range.to, proved?.to ?? 0)
  return from <= to ? `${from}-${to}` : 'none'
}

/** The decodable blocks; the others are in quarantine and have no rows. */
const decodable = ({ shards, masterchain }: RawBatch): DecodedBlock[] =>
  [...shards, masterchain].flatMap((raw) => {
    try {
      return [decodeBlock(raw)]
    } catch (error) {
      if (error instanceof DecodeError) return []
      throw error
    }
  })
