import { TracesQuery, traceReplies } from '@shardwalk/api-schema'
import { listTraces, placesOfMessages, placesOfTransactions, type TraceFilter } from '@shardwalk/queries'
import { type Page, renderTraces } from '@shardwalk/replies'
import { listRoute, type RequestContext, type Route } from '../../http/route.ts'
import { ltBounds, timeBounds } from './bounds.ts'
import { BAD_QUERY, NO_MC_BLOCK, OUT_OF_SERVICE } from './fails.ts'

const getTraces = listRoute({
  path: '/api/v3/traces',
  tag: 'Actions and traces',
  summary: 'Traces',
  description:
    'Complete traces: trees of transactions caused by one message from outside the chain. At most one of ' +
    '`account`, `trace_id`, `tx_hash`, `msg_hash`; it combines with the other filters by AND. ' +
    'Order: `end_lt` in the direction of `sort` (with a time bound: `end_utime`), then ' +
    '`trace_id`. A trace of more than 4000 transactions comes without them.',
  query: TracesQuery,
  reply: (rules) => traceReplies(rules).Traces,
  rows: 'traces',
  row: (rules) => traceReplies(rules).Trace,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: tracePage,
})

const getEvents = listRoute({
  path: '/api/v3/events',
  tag: 'Actions and traces',
  summary: 'Traces, by their former name',
  description:
    'As `/api/v3/traces`, with the rows in `events`. Actions are always included, whatever ' +
    '`include_actions` says.',
  deprecated: true,
  query: TracesQuery,
  reply: (rules) => traceReplies(rules).Events,
  rows: 'events',
  row: (rules) => traceReplies(rules).Trace,
  fails: { ...BAD_QUERY, ...NO_MC_BLOCK, ...OUT_OF_SERVICE },
  page: (context, query) => tracePage(context, { ...query, include_actions: true }),
})

export const TRACE_ROUTES: readonly Route[] = [getTraces, getEvents]

async function tracePage(context: RequestContext, query: TracesQuery): Promise<Page> {
  const { rows, next } = await listTraces(context.db, await toFilter(context, query), query)
  return { ...renderTraces(context, rows, query), next }
}

async function toFilter({ db, accounts }: RequestContext, query: TracesQuery): Promise<TraceFilter> {
  const places = query.tx_hash
    ? await placesOfTransactions(db, query.tx_hash)
    : query.msg_hash && (await placesOfMessages(db, query.msg_hash))
  const account = query.account && (await accounts.idOf(db, query.account))
  const neverSeen = query.account !== undefined && account === undefined
  return {
    lt: ltBounds(query),
    time: timeBounds(query),
    traceIds: neverSeen ? [] : (query.trace_id ?? places?.map((place) => place.trace_id)),
    account,
    mcBlockSeqno: query.mc_seqno,
  }
}
