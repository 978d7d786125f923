import type { DatabaseHandle } from '@shardwalk/db'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type { ClientBase } from 'pg'
import { deleteRange } from '../../packages/db/src/sink/delete-range.ts'
import { forgetLinks } from '../../packages/db/src/trust/linked-ranges.ts'
import { lock, lockSeqnos } from '../../packages/db/src/writing/locks.ts'
import { inTransaction } from '../../packages/db/src/writing/transaction.ts'

/** The head, and what follows it closely, is left alone. */
const BELOW_HEAD = 16
const MOST_BLOCKS = 24

/** A range of history below the head; undefined: there is none yet. */
export function someRange(head: number, random: () => number): SeqnoRange | undefined {
  const blocks = Math.min(MOST_BLOCKS, Math.floor((head - BELOW_HEAD) / 2))
  if (blocks < 1) return undefined
  const from = 1 + Math.floor(random() * (head - BELOW_HEAD - blocks))
  return { from, to: from + blocks - 1 }
}

/**
 * Removes a range of masterchain blocks as if it had never been indexed, so that ingest finds it missing and
 * fills it in: history without an end from a chain of some hundred blocks.
 */
export async function forget({ db, pool }: DatabaseHandle, range: SeqnoRange): Promise<void> {
  const seqnos = Array.from({ length: range.to - range.from + 1 }, (_, i) => range.from + i)
  await forgetLinks(db, range)
  await inTransaction(pool, async (client) => {
    await lockSeqnos(client, seqnos)
    await deleteRange(client, range)
    await lock(client, 'ranges')
    await cutOut(client, range)
  })
  await forgetLinks(db, range)
}

async function cutOut(client: ClientBase, { from, to }: SeqnoRange): Promise<void> {
  await client.query(
    `with gone as (
       delete from indexed_ranges where from_seqno <= $2 and to_seqno >= $1 returning from_seqno, to_seqno)
     insert into indexed_ranges (from_seqno, to_seqno)
     select from_seqno, $1 - 1 from gone where from_seqno < $1
     union all select $2 + 1, to_seqno from gone where to_seqno > $2`,
    [from, to],
  )
}
