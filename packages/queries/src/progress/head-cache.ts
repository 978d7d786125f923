import { createHash } from 'node:crypto'
import type { Db } from '@shardwalk/db'
import { TESTNET_GLOBAL_ID } from '@shardwalk/model'
import { findIndexedEnds, type IndexedEnds } from '../blocks/index.ts'
import { withDeadline } from '../connections/with-deadline.ts'
import { readIndexedHead } from './indexed-head.ts'

/** How long an answer of the database is reused. Milliseconds. */
const MAX_AGE_MS = 100
/** The same while a newer one is on its way, which takes long while large pages are read. Milliseconds. */
const MAX_AGE_MEANWHILE_MS = 250
/** From this age on, a request has the answer renewed for those after it. Milliseconds. */
const RENEWAL_AGE_MS = 50

/** What a request has to know of the index. */
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

interface Reading {
  readonly at: number
  readonly state: Promise<HeadState>
}

/** What is indexed. Requests share an answer, so the database is queried at most twenty times a second. */
export class HeadCache {
  private current: Reading | undefined
  private next: Reading | undefined
  private ends: { readonly tag: string; readonly ends: IndexedEnds | undefined } | undefined

  /** `query`: for tests. */
  constructor(
    /** Preferably with a connection of its own. */
    private readonly db: Db,
    private readonly query = readIndexedHead,
  ) {}

  read(): Promise<HeadState> {
    const now = performance.now()
    const age = now - (this.current?.at ?? Number.NEGATIVE_INFINITY)
    const renewedFor = now - (this.next?.at ?? Number.NEGATIVE_INFINITY)
    // While requests keep coming, none of them waits for the database; nor for a read that hangs.
    if (age >= RENEWAL_AGE_MS && renewedFor >= MAX_AGE_MS) this.next = this.renew()
    const isOnItsWay = renewedFor < MAX_AGE_MEANWHILE_MS - RENEWAL_AGE_MS
    return age < (isOnItsWay ? MAX_AGE_MEANWHILE_MS : MAX_AGE_MS) ? this.current!.state : this.next!.state
  }

  /**
   * First and last block of what is indexed. Read again after every change of the database. `timeoutMs`: of
   * its statement.
   */
  async findEnds(timeoutMs: number | undefined): Promise<IndexedEnds | undefined> {
    const { tag } = await this.read()
    if (this.ends?.tag === tag) return this.ends.ends
    const ends = await withDeadline(this.db, timeoutMs, findIndexedEnds)
    this.ends = { tag, ends }
    return ends
  }

  /** As of this moment, for those who must not get an older one. */
  readNow(): Promise<HeadState> {
    return this.renew().state
  }

  private renew(): Reading {
    const reading = { at: performance.now(), state: this.load() }
    const isOver = () => {
      if (this.next === reading) this.next = undefined
    }
    reading.state.then(() => {
      if (reading.at > (this.current?.at ?? Number.NEGATIVE_INFINITY)) this.current = reading
      isOver()
    }, isOver)
    return reading
  }

  private async load(): Promise<HeadState> {
    const { range, snapshot, globalId } = await this.query(this.db)
    const tag = `${range?.to ?? 'empty'}-${createHash('md5').update(snapshot).digest('hex').slice(0, 12)}`
    return { range, tag, testOnly: globalId === TESTNET_GLOBAL_ID }
  }
}
