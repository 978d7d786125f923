import { TRACE_STATE } from '@shardwalk/db'
import {
  changesSince,
  jettonWalletsAmong,
  ltBefore,
  placesOfMessages,
  type TraceRow,
  tracesByIds,
  tracesWithActionsSince,
  unclassifiedAmong,
  walletsOfOwnersSince,
} from '@shardwalk/queries'
import { type EventHub, errorText, type Subscriber } from '@shardwalk/streaming'
import type { ApiServices } from '../services.ts'
import {
  idsOfAddresses,
  type Telling,
  tellClassified,
  tellStates,
  tellTransactions,
  tellWallets,
} from './news-reader.ts'
import { streamContext } from './stream-context.ts'

/** Transactions of the connection's accounts that are read for it. */
const MAX_CHANGES = 5_000
const MAX_TRACES = 1_000

export interface Missed {
  readonly services: ApiServices
  readonly hub: EventHub
  readonly subscriber: Subscriber
  /** Exclusive. */
  readonly from: number
  /** What comes after it is told to all. */
  readonly to: number
}

/**
 * Tells one connection what it missed: snapshots of traces and the newest states, in the order of the chain.
 * Other connections go on meanwhile.
 */
export async function tellMissed({ services, hub, subscriber, from, to }: Missed): Promise<void> {
  if (from >= to) return
  const { addresses, traces: wanted, types } = subscriber.subscription
  const context = await streamContext(services)
  const accounts = await idsOfAddresses(context, addresses)
  const lt = await ltBefore(context.db, from)
  const asked = { accounts, lt, mcBlockSeqno: from, to, limit: MAX_CHANGES + 1 }
  const changes = await changesSince(context.db, asked)
  if (changes.length > MAX_CHANGES) {
    const error = `too much has happened since ${from}: read it from /api/v3`
    return subscriber.outbox.pushAhead({ kind: 'status', text: errorText(error, undefined) })
  }
  const telling: Telling = {
    context,
    after: undefined,
    fromLt: changes[0]?.lt ?? 0n,
    tell: (news) => hub.replay(news, subscriber),
    isWatched: (account) => addresses.has(account),
    isTraceWatched: (key) => wanted.has(key),
  }
  const ids = new Map(changes.flatMap(({ trace_id: id }) => (id ? [[id.toString('latin1'), id]] : [])))
  const traces = await tracesByIds(context.db, [...ids.values()])
  const places = new Map([...ids.keys()].map((id, index) => [id, index]))
  const placeOf = ({ trace_id }: TraceRow) => places.get(trace_id.toString('latin1'))!
  if (types.has('transactions'))
    await tellTransactions(
      telling,
      [...traces].sort((a, b) => placeOf(a) - placeOf(b)),
    )
  if (types.has('account_state_change')) await tellStates(telling, changes)
  if (types.has('jettons_change')) await tellMissedWallets(telling, { accounts, lt })
  if (types.has('actions') || types.has('trace'))
    await tellMissedActions(telling, { accounts, lt, from, keys: wanted })
}

interface Since {
  readonly accounts: readonly bigint[]
  readonly lt: bigint
}

async function tellMissedWallets(telling: Telling, { accounts, lt }: Since): Promise<void> {
  const { db } = telling.context
  const own = (await jettonWalletsAmong(db, accounts)).filter((row) => row.lt > lt)
  const owned = await walletsOfOwnersSince(db, { owners: accounts, lt, limit: MAX_CHANGES })
  const all = new Map([...own, ...owned].map((row) => [row.account_id, row]))
  await tellWallets(telling, [...all.values()])
}

interface SinceBlock extends Since {
  readonly from: number
  readonly keys: ReadonlySet<string>
}

/** Those that are not classified yet are told when they are. */
async function tellMissedActions(telling: Telling, { accounts, lt, from, keys }: SinceBlock): Promise<void> {
  const { db } = telling.context
  const ofActions = await tracesWithActionsSince(db, { accounts, lt, limit: MAX_TRACES })
  const places = await placesOfMessages(
    db,
    [...keys].map((key) => Buffer.from(key, 'base64')),
  )
  const ids = new Map(
    [...ofActions, ...places.map((place) => place.trace_id)].map((id) => [id.toString('latin1'), id]),
  )
  const open = new Set((await unclassifiedAmong(db, [...ids.values()])).map((id) => id.toString('latin1')))
  const traces = await tracesByIds(db, [...ids.values()])
  const missed = traces.filter(
    (trace) =>
      trace.state === COMPLETE && trace.mc_seqno_end > from && !open.has(trace.trace_id.toString('latin1')),
  )
  await tellClassified(
    telling,
    missed.sort((a, b) => a.mc_seqno_end - b.mc_seqno_end),
  )
}

const COMPLETE = TRACE_STATE.indexOf('complete')
