import { createHash } from 'node:crypto'
import type { Db } from '@shardwalk/db'
import { readIndexedHead } from '@shardwalk/queries'

/** Source: global ids of the public networks; -3 is the testnet. */
const TESTNET_GLOBAL_ID = -3
/** A reply may name a head that is this much too old, never one that is too new. Milliseconds. */
const MAX_AGE_MS = 100

export interface HeadState {
  /** The contiguous range that ends at the newest indexed masterchain block; undefined: nothing is indexed. */
  readonly range: { readonly from: number; readonly to: number } | undefined
  /** Changes whenever anything in the database does: contracts, actions and metadata come after the blocks. */
  readonly tag: string
  /** Addresses of this network carry the test flag; false while the network is not known. */
  readonly testOnly: boolean
}

/** What is indexed, asked of the database at most ten times a second however many requests there are. */
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
