import {
  booleanKind,
  limitKind,
  optional,
  type QuerySchema,
  withDefault,
  wordKind,
} from '@shardwalk/api-schema'
import type { ExportFormat } from './export.ts'
import type { ListRoute, Route } from './route.ts'

/** Beside the filters of the list. The rows are all there are, unless the client limits them. */
const settings = () => ({
  format: withDefault(
    wordKind<ExportFormat>('a format', { ndjson: 'ndjson', csv: 'csv' }),
    'ndjson',
    'Format of the rows.',
  ),
  limit: optional(
    limitKind(1_000_000_000),
    'Maximum number of rows. Default: as many as the operator allows.',
  ),
  summary: optional(booleanKind, 'Whether the last line of NDJSON says what the trailers say.'),
})

/**
 * The export of a list as an operation of its own, because generators of clients give a function one type of
 * reply: `/api/v3/export/transactions` of `/api/v3/transactions`.
 */
export const exportRoute = (list: ListRoute): Route => ({
  kind: 'export',
  list,
  path: list.path.replace('/api/v3/', '/api/v3/export/'),
  tag: 'Exports',
  summary: `${list.summary}, as NDJSON or CSV`,
  description: `Rows of \`${list.path}\` in its order, all of them or \`limit\`, while they are read.`,
  query: list.query.safeExtend(settings()) as QuerySchema,
  reply: list.row,
  ...(list.cost !== undefined && { cost: list.cost }),
  fails: {
    ...list.fails,
    403: 'The operator requires an API key for exports.',
    406: 'Exports are disabled: the operator can set EXPORT_MAX_ROWS.',
    429: 'As many exports as may run at the same time are in progress; see Retry-After.',
  },
})
