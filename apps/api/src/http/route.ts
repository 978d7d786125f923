import {
  type Json,
  KEY_REFUSALS,
  type ProfileRules,
  type QuerySchema,
  type RouteFacts,
} from '@shardwalk/api-schema'
import { Pace } from '@shardwalk/concurrency'
import type { Db } from '@shardwalk/db'
import type { NodeAccess } from '@shardwalk/node-access'
import type { BodyType, JsonBody, StackForm, Work } from '@shardwalk/node-access/requests'
import type { AccountCache, HeadCache } from '@shardwalk/queries'
import type { Page, RenderContext, ReplySize } from '@shardwalk/replies'
import * as z from 'zod'
import type { RequestSettings } from './request-settings.ts'

/** Everything that a handler uses. Statements are cancelled at the deadline of the request. */
export interface RequestContext extends RenderContext {
  readonly head: HeadCache
  /** Takes memory until the reply ends. Throws `HttpError` when too many bytes are in flight. */
  readonly hold: (bytes: number) => void
  readonly settings: RequestSettings
  /** Performs long work for large requests. */
  readonly work: Work
}

/** Parameters of every list. */
export interface PageQuery {
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

interface Declared<S extends QuerySchema> extends Omit<RouteFacts, 'query' | 'reply' | 'list'> {
  readonly query: S
  /** Depends on the profile. */
  readonly reply: (rules: ProfileRules) => z.ZodType
  /** The number of requests that one request counts as. Default 1. */
  readonly cost?: number
  /** Whether replies change without the index, so that clients must not keep them. */
  readonly isLive?: boolean
  /** Parameters that clients send but that have no effect here. */
  readonly ignored?: readonly string[]
}

// `Q` is what a handler gets: routes of a list have different queries, hence `never` there.

interface ObjectDeclaration<S extends QuerySchema, Q = z.output<S>> extends Declared<S> {
  readonly handle: (context: RequestContext, query: Q) => Promise<Json>
}

interface ListDeclaration<S extends QuerySchema, Q = z.output<S> & PageQuery> extends Declared<S> {
  /** Key of the rows in the reply; empty when the reply is an array. */
  readonly rows: string | ((rules: ProfileRules) => string)
  /** Schema of one row, for the columns of CSV. */
  readonly row: (rules: ProfileRules) => z.ZodObject
  /** Parameters of the query that count as unknown ones, depending on the profile. Default: none. */
  readonly unused?: (rules: ProfileRules) => readonly string[]
  readonly page: (context: RequestContext, query: Q) => Promise<Page>
}

interface NodeDeclaration<S extends QuerySchema, Q = z.output<S>> extends Declared<S> {
  /** What the index knows; undefined: lite servers have to be asked. */
  readonly indexed?: (index: IndexAccess, query: Q) => Promise<unknown>
  readonly handle: (node: NodeAccess, query: Q, work: Work) => Promise<unknown>
}

/** What `indexed` works with. */
export interface IndexAccess {
  readonly db: Db
  readonly accounts: AccountCache
}

interface PostDeclaration extends Omit<Declared<QuerySchema>, 'query' | 'body'> {
  /**
   * For documentation only. Handlers parse bodies themselves, because clients match on the texts of errors.
   */
  readonly body: z.ZodObject
}

interface NodePostDeclaration extends PostDeclaration {
  /** Encoding of the member `stack` in the body, if there is one. */
  readonly stackForm?: StackForm
  readonly handle: (node: NodeAccess, body: JsonBody, work: Work) => Promise<unknown>
}

/** A body as it was posted. */
export interface PostedBody {
  readonly bytes: Uint8Array
  readonly type: BodyType
}

interface BodyDeclaration extends PostDeclaration {
  readonly handle: (body: PostedBody, work: Work) => Promise<Json>
}

export type ListRoute = { readonly kind: 'list' } & ListDeclaration<QuerySchema, never>

/** A declared endpoint, from which mounting, validation and documentation follow. */
export type Route =
  | ListRoute
  | ({ readonly kind: 'object' } & ObjectDeclaration<QuerySchema, never>)
  | ({ readonly kind: 'node'; readonly stackForm?: StackForm } & NodeDeclaration<QuerySchema, never>)
  | ({ readonly kind: 'post' } & Declared<QuerySchema> & Pick<BodyDeclaration, 'handle'>)
  | ({ readonly kind: 'export'; readonly list: ListRoute } & Declared<QuerySchema>)

/** Declares an endpoint that returns one object. */
export const objectRoute = <S extends QuerySchema>(declaration: ObjectDeclaration<S>): Route =>
  ({ kind: 'object', ...declaration }) as unknown as Route

/** Declares an endpoint that returns rows: paged by offset or cursor, exported as NDJSON or CSV. */
export const listRoute = <S extends QuerySchema>(declaration: ListDeclaration<S>): Route =>
  ({ kind: 'list', ...declaration }) as unknown as Route

/** Declares an endpoint that reads from lite servers. */
export const nodeRoute = <S extends QuerySchema>(declaration: NodeDeclaration<S>): Route =>
  ({ kind: 'node', ...declaration }) as unknown as Route

/** Declares an endpoint that uses lite servers to process a posted body. */
export const nodePostRoute = (declaration: NodePostDeclaration): Route => ({
  kind: 'node',
  query: NO_QUERY,
  ...declaration,
})

/** Declares an endpoint that processes a posted body without other data. */
export const postRoute = (declaration: BodyDeclaration): Route => ({
  kind: 'post',
  query: NO_QUERY,
  ...declaration,
})

const NO_QUERY = z.object({})

/** The method in lower case: a route with a body is posted. */
export const verbOf = ({ body }: Route): 'get' | 'post' => (body ? 'post' : 'get')

/** The JSON reply of an endpoint that returns all its rows at once. Throws `ReplyTooLarge`. */
export async function pageReply(rows: string, page: Page, size: ReplySize): Promise<Json> {
  const items: Json[] = []
  const pace = new Pace()
  let bytes = 0
  for await (const item of page.items) {
    items.push(item)
    bytes += item.length
    size.expect(bytes, 'ask for less at a time')
    await pace.rest()
  }
  const fields = typeof page.fields === 'function' ? await page.fields() : (page.fields ?? {})
  const further = Object.entries(fields).map(([key, value]) => `,"${key}":${value}`)
  return `{"${rows}":[${items.join(',')}]${further.join('')}}`
}

/** Key of the rows in the reply of a list. */
export const rowsKey = (route: ListRoute, rules: ProfileRules): string =>
  typeof route.rows === 'string' ? route.rows : route.rows(rules)

/** Parameters of a route's query that count as unknown ones in the profile. */
export const unusedBy = (route: Route, rules: ProfileRules): readonly string[] =>
  (route.kind === 'list' && route.unused?.(rules)) || []

/** Properties of a route that the documentation shows. */
export const routeFacts = (route: Route, rules: ProfileRules): RouteFacts => ({
  ...route,
  query: usedQuery(route, rules),
  fails: { ...REFUSED, ...route.fails },
  reply: route.reply(rules),
  list: route.kind === 'list',
  columns: route.kind === 'export' ? columnsOf(route.list, rules) : undefined,
})

/** Of every route. */
const REFUSED = {
  ...KEY_REFUSALS,
  429: 'Too many requests, or too much is in progress for this client; see Retry-After.',
  503: 'Too much is in progress; see Retry-After.',
}

function usedQuery(route: Route, rules: ProfileRules): QuerySchema {
  const unused = unusedBy(route, rules)
  if (unused.length === 0) return route.query
  return z.object(
    Object.fromEntries(Object.entries(route.query.shape).filter(([name]) => !unused.includes(name))),
  )
}

/** Columns of CSV: all keys that a row may have. */
export const columnsOf = ({ row }: ListRoute, rules: ProfileRules): readonly string[] =>
  Object.keys(row(rules).shape)
