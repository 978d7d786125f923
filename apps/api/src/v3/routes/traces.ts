import { ActionsQuery, TracesQuery, traceReplies } from '@shardwalk/api-schema'
import { listRoute, type Route } from '../../http/route.ts'
import { actionPage } from '../action-page.ts'
import { tracePage } from '../trace-page.ts'

const FAILS = {
  404: 'The masterchain block is not indexed.',
  422: 'A parameter is unknown or has a wrong value.',
  500: 'The query took too long, or something is broken.',
  503: 'The database is not available.',
}

const getTraces = listRoute({
  path: '/api/v3/traces',
  tag: 'actions',
  summary: 'Traces',
  description:
    'Complete traces: trees of transactions that one message from outside caused. At most one of `account`, `trace_id`, `tx_hash`, `msg_hash`; it combines with the other filters by AND. Order: `end_lt` in the direction of `sort` (with a time bound: `end_utime`), then `trace_id`. A trace of more than 4000 transactions comes without them.',
  query: TracesQuery,
  reply: (rules) => traceReplies(rules).Traces,
  rows: 'traces',
  row: (rules) => traceReplies(rules).Trace,
  fails: FAILS,
  page: tracePage,
})

const getActions = listRoute({
  path: '/api/v3/actions',
  tag: 'actions',
  summary: 'Actions',
  description:
    'What people did, read from complete traces. Filters combine by AND. An action is shown when its type is understood by the client (`supported_action_types`) and no action around it is. Order: end of the trace in the direction of `sort`, trace, end of the action, id.',
  query: ActionsQuery,
  reply: (rules) => traceReplies(rules).Actions,
  rows: 'actions',
  row: (rules) => traceReplies(rules).Action,
  fails: FAILS,
  page: actionPage,
})

export const TRACE_ROUTES: readonly Route[] = [getTraces, getActions]
