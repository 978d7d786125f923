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
 * Tells the head to the other processes through the database. Not chain data: the table holds one row, is not logged, and may be lost.
 * Several ingest processes may report; the greater head and the smaller first seqno stand.
 */
export class StatusReport {
  #made = false
  #last = ''

  constructor(private readonly db: Db) {}

  async write(status: IngestStatus): Promise<void> {
    const text = `${status.head} ${status.first}`
    if (text === this.#last) return
    if (!this.#made) await this.#makeTable()
    await sql`
      insert into ingest_status (id, head_seqno, first_seqno, reported_at) values (1, ${status.head}, ${status.first}, now())
      on conflict (id) do update set head_seqno = greatest(ingest_status.head_seqno, excluded.head_seqno),
        first_seqno = least(ingest_status.first_seqno, excluded.first_seqno), reported_at = now()`.execute(this.db)
    this.#last = text
  }

  async #makeTable(): Promise<void> {
    await sql`
      create unlogged table if not exists ingest_status (
        id int4 primary key check (id = 1), head_seqno int4 not null, first_seqno int4, reported_at timestamptz not null
      )`
      .execute(this.db)
      // Two processes that create it at the same moment: one of them meets the other's row in a catalogue.
      .catch((error: { code?: string }) => {
        if (error.code !== '23505' && error.code !== '42P07') throw error
      })
    this.#made = true
  }
}
