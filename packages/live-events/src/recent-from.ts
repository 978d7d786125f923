import { blockBefore } from '@shardwalk/queries'
import type { EventServices } from './event-services.ts'

/** For how long TON Center keeps what has happened for those who ask for it. */
const RECENT_S = 30

/** The block after which what was published last, up to block `to`, is recent. */
export async function recentFrom({ db, indexedRange }: EventServices, to: number): Promise<number> {
  const range = await indexedRange()
  if (!range) return to
  return Math.max(range.from, await blockBefore(db, { seqno: to, seconds: RECENT_S }))
}
