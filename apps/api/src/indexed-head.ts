import { createHash } from 'node:crypto'
import type { Db } from '@shardwalk/db'
import { TESTNET_GLOBAL_ID } from '@shardwalk/model'
import { readIndexedHead } from '@shardwalk/queries'

/** How long an answer of the database is reused. Milliseconds. */
const MAX_AGE_MS = 100

export interface HeadState {
  /** The contiguous range up to the newest indexed masterchain block; undefined if nothing is indexed. */
  readonly range: { readonly from: number; readonly to: number } | undefined
  /**
   * Changes with every transaction of the database, because contracts, actions and metadata also change
   * replies.
   */
  readonly tag: string
  /** Whether addresses of the network have the test flag; false until the network is known. */
  readonly testOnly: boolean
}

/** What is indexed. Requests share an answer, so the database is queried at most ten times a second. */
export class IndexedHead {
  private current: { readonly at: number; readonly state: Promise<HeadState> } | undefined

  constructor(private readonly db: Db) {}

  read(): Promise<HeadState> {
    const now = performance.now()
    if (this.current && now - this.current.at < MAX_AGE_MS) return this.current.state
    const state = this.load()
    this.current = { at: now, state }
    state.catch(() => {
      this.current = undefined
    })
    return state
  }

  private async load(): Promise<HeadState> {
    const { range, snapshot, globalId } = await readIndexedHead(this.db)
    const tag = `${range?.to ?? 'empty'}-${createHash('md5').update(snapshot).digest('hex').slice(0, 12)}`
    return { range, tag, testOnly: globalId === TESTNET_GLOBAL_ID }
  }
}
