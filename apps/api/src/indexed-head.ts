import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'

/** Source: global ids of the public networks; -3 is the testnet. */
const TESTNET_GLOBAL_ID = -3
/** A reply may name a head that is this much too old, never one that is too new. Milliseconds. */
const MAX_AGE_MS = 100

export interface HeadState {
  /** The contiguous range that ends at the newest indexed masterchain block; undefined: nothing is indexed. */
  readonly range: { readonly from: number; readonly to: number } | undefined
  /** Changes whenever anything in the database does: contracts, actions and metadata come after the blocks. */
  readonly tag: string
}

/** What is indexed, asked of the database at most ten times a second however many requests there are. */
export class IndexedHead {
  #current: { readonly at: number; readonly state: Promise<HeadState> } | undefined
  #testOnly: boolean | undefined

  constructor(private readonly db: Db) {}

  read(): Promise<HeadState> {
    const now = performance.now()
    if (this.#current && now - this.#current.at < MAX_AGE_MS) return this.#current.state
    const state = this.#load()
    this.#current = { at: now, state }
    state.catch(() => {
      this.#current = undefined
    })
    return state
  }

  /** Whether addresses carry the test flag; false while the network is not known. */
  async testOnly(): Promise<boolean> {
    if (this.#testOnly !== undefined) return this.#testOnly
    const row = await this.db.selectFrom('network').select('global_id').executeTakeFirst()
    if (row?.global_id != null) this.#testOnly = row.global_id === TESTNET_GLOBAL_ID
    return this.#testOnly ?? false
  }

  async #load(): Promise<HeadState> {
    // The same snapshot sees the same rows in every table.
    const { rows } = await sql<{ from_seqno: number | null; to_seqno: number | null; snapshot: string }>`
      select md5(pg_current_snapshot()::text) as snapshot, r.* from (values (1)) one
      left join lateral (select from_seqno, to_seqno from indexed_ranges order by to_seqno desc limit 1) r on true`.execute(
      this.db,
    )
    const { from_seqno: from, to_seqno: to, snapshot = '' } = rows[0] ?? { from_seqno: null, to_seqno: null }
    return {
      range: from === null || to === null ? undefined : { from, to },
      tag: `${to ?? 'empty'}-${snapshot.slice(0, 12)}`,
    }
  }
}
