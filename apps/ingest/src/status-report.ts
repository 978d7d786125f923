import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'

/** What the API and `shardwalk status` may want to know from ingest beside what is indexed. */
export interface IngestStatus {
  /** Newest masterchain seqno that a source has. */
  readonly head: number
  /** First masterchain seqno that is wanted. */
  readonly first: number
}

/**
 * Tells the head to the other processes through the table `ingest_status`. Several ingest processes may report; the greater head and the
 * smaller first seqno stand.
 */
export class StatusReport {
  private last = ''

  constructor(private readonly db: Db) {}

  async write(status: IngestStatus): Promise<void> {
    const text = `${status.head} ${status.first}`
    if (text === this.last) return
    await sql`
      insert into ingest_status (id, head_seqno, first_seqno, reported_at) values (1, ${status.head}, ${status.first}, now())
      on conflict (id) do update set head_seqno = greatest(ingest_status.head_seqno, excluded.head_seqno),
        first_seqno = least(ingest_status.first_seqno, excluded.first_seqno), reported_at = now()`.execute(
      this.db,
    )
    this.last = text
  }
}
