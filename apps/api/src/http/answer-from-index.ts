import { parseQueryString, type RawQuery, REQUEST_SETTINGS, readQuery } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { cancelledBy, type HeadState, LIGHT_ROWS, PageTooLarge, withDeadline } from '@shardwalk/queries'
import { type Page, ReplySize, UNLIMITED, wholeReply } from '@shardwalk/replies'
import type { Request, Response } from 'express'
import { lacksKey } from '../access/client-name.ts'
import { nameHeadAgain, orElsewhere } from '../replicas/choose-replica.ts'
import { sourceOf } from '../replicas/chosen-replica.ts'
import type { ApiServices } from '../services.ts'
import { holdBytes, takePage } from './bytes-in-flight.ts'
import { callSignal } from './call-signal.ts'
import { HttpError, isQueryCanceled, OwnTimeout } from './errors.ts'
import { EXPORT_SETTINGS, type ExportFormat, exportFormat, streamExport } from './export.ts'
import { EXPORT_ROWS } from './export-pace.ts'
import { queryString } from './query-string.ts'
import { ReplyReads } from './read-turns.ts'
import { isFresh } from './reply-tag.ts'
import { sendJson, writePage } from './reply-writer.ts'
import { readRequestSettings } from './request-settings.ts'
import {
  columnsOf,
  type ListRoute,
  type PageQuery,
  type RequestContext,
  type Route,
  rowsKey,
  unusedBy,
} from './route.ts'
import { ownerOf, workOf } from './work-of.ts'

type IndexRoute = Extract<Route, { kind: 'object' | 'list' | 'export' }>

const LIST_SETTINGS = [...REQUEST_SETTINGS, ...EXPORT_SETTINGS]

/** Answers routes declared by `objectRoute`, `listRoute` and `exportRoute`. */
export const answerFromIndex = (
  route: IndexRoute,
  request: Request,
  response: Response,
  services: ApiServices,
): Promise<void> =>
  orElsewhere(response, services, () => answerFromReplica(route, request, response, services))

async function answerFromReplica(
  route: IndexRoute,
  request: Request,
  response: Response,
  services: ApiServices,
): Promise<void> {
  const { raw, value, ignored } = readAsked(route, request, services)
  nameIgnored(response, ignored)
  const head = await (response.locals['head'] as Promise<HeadState>)
  const format = formatOf(route, { request, raw, value }, services)
  const tag = `${head.tag}-${services.version}-${services.profile}-${services.defaultLimit}`
  if (route.isLive) response.setHeader('Cache-Control', 'no-store')
  else if (isFresh({ request, response, tag, format })) return
  const input = { request, response, raw, query: value }
  if (route.kind === 'export') return runExport(route.list, { ...input, format: format! }, services)
  if (route.kind === 'list' && format) return runExport(route, { ...input, format }, services)
  if (route.kind === 'list') await answerList(route, input, services)
  else await answerObject(route, input, services)
}

/** Undefined: JSON. */
function formatOf(
  route: IndexRoute,
  { request, raw, value }: Pick<Asked, 'raw' | 'value'> & { readonly request: Request },
  services: ApiServices,
): ExportFormat | undefined {
  if (route.kind === 'object') return undefined
  if (route.kind === 'list') return exportFormat(request, raw, services.exportMaxRows > 0)
  const preferred = raw.has('format') ? undefined : exportFormat(request, raw, true)
  return preferred ?? (value['format'] as ExportFormat)
}

interface Input {
  readonly request: Request
  readonly response: Response
  readonly raw: RawQuery
  readonly query: unknown
}

interface Asked {
  readonly raw: RawQuery
  readonly value: Readonly<Record<string, unknown>>
  /** Names of parameters without effect. */
  readonly ignored: readonly string[]
}

/** Throws `InvalidQuery`. */
function readAsked(route: IndexRoute, request: Request, services: ApiServices): Asked {
  const given = parseQueryString(queryString(request))
  const unused = unusedBy(route, services.rules).filter((name) => given.has(name))
  const raw = unused.length === 0 ? given : new Map([...given].filter(([name]) => !unused.includes(name)))
  const { value, ignored } = readQuery(route.query, raw, {
    rules: services.rules,
    alsoKnown: [...(route.kind === 'list' ? LIST_SETTINGS : REQUEST_SETTINGS), ...(route.ignored ?? [])],
    defaultLimit: services.defaultLimit,
  })
  return { raw, value, ignored: [...ignored, ...unused] }
}

type ObjectRoute = Extract<Route, { kind: 'object' }>

async function answerObject(route: ObjectRoute, input: Input, services: ApiServices): Promise<void> {
  const { request, response, raw, query } = input
  const size = wholeReply(services.maxReplyBytes)
  const body = await inContext({ request, raw, services, size }, (context) =>
    route.handle(context, query as never),
  )
  size.expect(body.length, 'ask for less at a time')
  await nameHeadAgain(response)
  sendJson(response, body)
}

async function answerList(route: ListRoute, input: Input, services: ApiServices): Promise<void> {
  const { request, response, raw, query } = input
  const rows = (query as PageQuery).limit
  await takePage(response, rows)
  const page = await inContext({ request, raw, services, rows }, (context) =>
    route.page(context, query as never),
  )
  await nameHeadAgain(response)
  if (page.next) response.setHeader('X-Next-Cursor', page.next)
  await writePage(response, { key: rowsKey(route, services.rules), page, maxBytes: services.maxReplyBytes })
}

/** Sets a header that names the parameters without effect. */
export function nameIgnored(response: Response, ignored: readonly string[]): void {
  if (ignored.length > 0)
    response.setHeader('X-Ignored-Parameters', ignored.map(encodeURIComponent).join(',').slice(0, 1000))
}

interface ContextParts {
  readonly request: Request
  readonly raw: RawQuery
  readonly services: ApiServices
  readonly size?: ReplySize
  /** Of a page. */
  readonly rows?: number
  /** The statement that runs when it is aborted is cancelled. Default: it ends by itself. */
  readonly signal?: AbortSignal
}

/** Runs work that reads the index for a request. */
export async function inContext<T>(
  parts: ContextParts,
  work: (context: RequestContext) => Promise<T>,
): Promise<T> {
  const { testOnly } = await sourceOf(parts.request.res!, parts.services).head.read()
  const context = { ...contextOf(parts), testOnly }
  return context.reading((db) => work({ ...context, db }))
}

/** `db` has no deadline yet, and of the network nothing is known. */
function contextOf(parts: ContextParts): RequestContext {
  const { request, raw, services, size, rows, signal } = parts
  const settings = readRequestSettings(request, raw)
  const owner = ownerOf(request, request.res!, services)
  const source = sourceOf(request.res!, services)
  const db = signal ? cancelledBy(signal, source.db) : source.db
  const reads = new ReplyReads(services.readTurns, { client: owner.client, response: request.res! }, rows)
  const reading = async <R>(read: (db: Db) => Promise<R>): Promise<R> => {
    try {
      return await reads.run(() => withDeadline(db, settings.timeoutMs, read))
    } catch (error) {
      throw settings.timeoutMs !== undefined && isQueryCanceled(error) ? new OwnTimeout() : error
    }
  }
  return {
    db,
    head: source.head,
    reading,
    size: size ?? new ReplySize(services.maxReplyBytes),
    rules: services.rules,
    settings,
    accounts: services.accounts,
    testOnly: false,
    writableDb: services.writableDb,
    imageProxy: services.imageProxy,
    marketplaces: services.marketplaces,
    work: workOf(services.work, owner),
    hold: (bytes) => holdBytes(request.res!, bytes),
  }
}

interface ExportInput extends Input {
  readonly format: ExportFormat
}

async function runExport(route: ListRoute, input: ExportInput, services: ApiServices): Promise<void> {
  const { request, response, raw, format } = input
  const maxRows = services.exportMaxRows
  if (maxRows === 0) throw new HttpError(406, 'streaming export is off; the operator can set EXPORT_MAX_ROWS')
  if (lacksKey(request)) throw new HttpError(403, 'exports need an API key here: set the header X-API-Key')
  const query = input.query as PageQuery
  const most = raw.has('limit') ? Math.min(query.limit, maxRows) : maxRows
  await takePage(response, Math.min(most, EXPORT_ROWS))
  const signal = callSignal(response)
  services.exportPace.noteExport()
  await services.exportPlaces.hold(response, () =>
    streamExport({
      response,
      format,
      columns: columnsOf(route, services.rules),
      maxRows: most,
      offset: query.offset,
      cursor: query.cursor,
      summary: ['1', 'true'].includes(raw.get('summary')?.at(-1)?.toLowerCase() ?? ''),
      pace: services.exportPace,
      signal,
      nextPage: fewerIfLarge((page) =>
        inContext({ request, raw, services, size: UNLIMITED, rows: page.limit, signal }, (context) =>
          // What one page holds is free before the next one.
          route.page({ ...context, hold: () => {} }, { ...query, ...page } as never),
        ),
      ),
    }),
  )
}

/** Where rows hold too much for one page, the page is shorter. */
const fewerIfLarge =
  (read: (page: PageQuery) => Promise<Page>) =>
  (page: PageQuery): Promise<Page> =>
    read(page).catch((error: unknown) => {
      if (!(error instanceof PageTooLarge) || page.limit < LIGHT_ROWS) throw error
      return read({ ...page, limit: LIGHT_ROWS - 1 })
    })
