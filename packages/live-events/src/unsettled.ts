import { COMPLETE_TRACE, type Db } from '@shardwalk/db'
import {
  type JettonWalletState,
  jettonWalletsAmong,
  type TraceRow,
  tracesByIds,
  type UnexaminedAccount,
  unclassifiedSince,
  unexaminedSince,
} from '@shardwalk/queries'
import type { Subscription } from '@shardwalk/streaming'

/** Of each kind; the latest are read. */
const MAX_UNSETTLED = 5_000

/** What blocks changed that cannot be published yet. */
export interface Unsettled {
  /** Complete traces that wait for the classifier, by their last block. */
  readonly traces: readonly TraceRow[]
  /** Accounts that wait to be examined. */
  readonly accounts: readonly UnexaminedAccount[]
  /** Those of the accounts that are jetton wallets, as they were examined last. */
  readonly wallets: readonly JettonWalletState[]
  /** Whether there is more of it. */
  readonly isCut: boolean
}

interface Asked {
  /** What is asked for. */
  readonly types: Subscription['types']
  /** `ltBefore(from)`. */
  readonly lt: bigint
  /** Masterchain block, exclusive. */
  readonly from: number
  readonly to: number
}

/** Whose traces and wallets these are is known only afterwards: they are those of all accounts. */
export async function readUnsettled(db: Db, { types, lt, from, to }: Asked): Promise<Unsettled> {
  const asked = { lt, limit: MAX_UNSETTLED + 1 }
  const ids = types.has('actions') || types.has('trace') ? await unclassifiedSince(db, asked) : []
  const isMissed = ({ state, mc_seqno_end: end }: TraceRow) =>
    state === COMPLETE_TRACE && end > from && end <= to
  const traces = (await tracesByIds(db, ids.slice(0, MAX_UNSETTLED))).filter(isMissed)
  const all = types.has('jettons_change') ? await unexaminedSince(db, asked) : []
  const accounts = all.slice(0, MAX_UNSETTLED)
  return {
    traces: traces.sort((a, b) => a.mc_seqno_end - b.mc_seqno_end),
    accounts,
    wallets: await jettonWalletsAmong(
      db,
      accounts.map((row) => row.account_id),
    ),
    isCut: ids.length > MAX_UNSETTLED || all.length > MAX_UNSETTLED,
  }
}
