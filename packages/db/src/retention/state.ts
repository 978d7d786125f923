import { IndexerError, type McBlockSeqno } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type { Db } from '../database.ts'

/** A range begins before what retention has left. */
export class NotRetained extends IndexerError {
  readonly code = 'not_retained'
  readonly retry = 'never'

  constructor(range: SeqnoRange, first: McBlockSeqno) {
    super(
      `masterchain blocks before ${first} are not kept (RETENTION); ${range.from} to ${range.to} begins ` +
        'before them',
    )
  }
}

/** First masterchain block that retention keeps; undefined: it keeps all, or that is not known yet. */
export async function readRetainedFrom(db: Db): Promise<McBlockSeqno | undefined> {
  const row = await db.selectFrom('ingest_status').select('retained_from').executeTakeFirst()
  return row?.retained_from ?? undefined
}

/** Throws `NotRetained` if rows of the range may have been deleted. */
export async function assertRetained(db: Db, range: SeqnoRange): Promise<void> {
  const row = await db.selectFrom('ingest_status').select('kept_from').executeTakeFirst()
  const first = row?.kept_from
  if (first != null && range.from < first) throw new NotRetained(range, first)
}
