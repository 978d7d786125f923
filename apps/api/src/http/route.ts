import type { Json, ProfileRules, QuerySchema, RouteFacts } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import type { ImageProxy } from '@shardwalk/metadata'
import type { NodeAccess } from '@shardwalk/node-access'
import type { AccountCache } from '@shardwalk/queries'
import { z } from 'zod'
import type { Work } from '../work/request-work.ts'
import type { JsonBody, StackForm } from '../work/tasks.ts'
import type { ReplySize } from './reply-size.ts'
import type { RequestSettings } from './request-settings.ts'

/** What a handler works with. */
export interface RequestContext {
  /** Statements end at the deadline of the request. */
  readonly db: Db
  /** For what is written beside the reply, without waiting; undefined: nothing is. */
  readonly writableDb?: Db | undefined
  /**
   * Reads while the reply is written, when `db` may belong to another request already. The deadline holds
   * here, too.
   */
  readonly reading: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  readonly size: ReplySize
  readonly rules: ProfileRules
  readonly settings: RequestSettings
  readonly accounts: AccountCache
  /** True if addresses of the network carry the test flag. */
  readonly testOnly: boolean
  /** Serves images of tokens in three sizes; without it replies have no links to them. */
  readonly imageProxy?: ImageProxy | undefined
  /** Does what takes long for large requests. */
  readonly work: Work
}

type Fields = Readonly<Record<string, Json>>

/** Part of a list, with rows as JSON text. */
export interface Page {
  /** Rendered, and loaded where there is much to load, while they are written. */
  readonly items: Iterable<Json> | AsyncIterable<Json>
  /** Cursor of the next page; undefined on the last one. */
  readonly next?: string | undefined
  /** Further keys of the reply in their order, as JSON text. A function is called after the last row. */
  readonly fields?: Fields | (() => Promise<Fields>)
}

/** Parameters that every list has. */
export interface PageQuery {
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

interface Declared<S extends QuerySchema> extends Omit<RouteFacts, 'query' | 'reply' | 'list'> {
  readonly query: S
  /** Depends on the profile. */
  readonly reply: (rules: ProfileRules) => z.ZodType
  /** The number of requests that one request counts as, if not 1. */
  readonly cost?: number
}

interface ObjectDeclaration<S extends QuerySchema> extends Declared<S> {
  readonly handle: (context: RequestContext, query: z.output<S>) => Promise<Json>
}

interface ListDeclaration<S extends QuerySchema> extends Declared<S> {
  /** Key of the rows in the reply; empty: the reply is an array. */
  readonly rows: string | ((rules: ProfileRules) => string)
  /** Schema of one row, for the columns of CSV. */
  readonly row: (rules: ProfileRules) => z.ZodObject
  readonly page: (context: RequestContext, query: z.output<S> & PageQuery) => Promise<Page>
}

interface NodeDeclaration<S extends QuerySchema> extends Declared<S> {
  /** Parameters that clients send but that have no effect. */
  readonly ignored?: readonly string[]
  readonly handle: (node: NodeAccess, query: z.output<S>) => Promise<unknown>
}

interface PostDeclaration extends Omit<Declared<QuerySchema>, 'query' | 'body'> {
  /**
   * For the documentation only. Handlers parse bodies themselves, because clients match the texts of errors.
   */
  readonly body: z.ZodObject
}

interface NodePostDeclaration extends PostDeclaration {
  /** How the member `stack` of the body is written, if it has one. */
  readonly stackForm?: StackForm
  readonly handle: (node: NodeAccess, body: JsonBody, work: Work) => Promise<unknown>
}

interface BodyDeclaration extends PostDeclaration {
  readonly handle: (body: Uint8Array, work: Work) => Promise<Json>
}

/** A declared endpoint: mounting, validation and documentation follow from it. */
export type Route = Declared<QuerySchema> &
  (
    | { readonly kind: 'object'; readonly handle: (context: RequestContext, query: never) => Promise<Json> }
    | {
        readonly kind: 'list'
        readonly rows: string | ((rules: ProfileRules) => string)
        readonly row: (rules: ProfileRules) => z.ZodObject
        readonly page: (context: RequestContext, query: never) => Promise<Page>
      }
    | {
        readonly kind: 'node'
        readonly ignored?: readonly string[]
        readonly stackForm?: StackForm
        readonly handle: (node: NodeAccess, input: never, work: Work) => Promise<unknown>
      }
    | { readonly kind: 'post'; readonly handle: BodyDeclaration['handle'] }
  )

/** Declares an endpoint that answers with one object. */
export const objectRoute = <S extends QuerySchema>(declaration: ObjectDeclaration<S>): Route =>
  ({ kind: 'object', ...declaration }) as unknown as Route

/** Declares an endpoint that answers with rows: paged by offset or cursor, exported as NDJSON or CSV. */
export const listRoute = <S extends QuerySchema>(declaration: ListDeclaration<S>): Route =>
  ({ kind: 'list', ...declaration }) as unknown as Route

/** Declares an endpoint that asks lite servers. */
export const nodeRoute = <S extends QuerySchema>(declaration: NodeDeclaration<S>): Route =>
  ({ kind: 'node', ...declaration }) as unknown as Route

/** Declares an endpoint that asks lite servers about a posted body. */
export const nodePostRoute = (declaration: NodePostDeclaration): Route => ({
  kind: 'node',
  query: NO_QUERY,
  ...declaration,
})

/** Declares an endpoint that answers from a posted body alone. */
export const postRoute = (declaration: BodyDeclaration): Route => ({
  kind: 'post',
  query: NO_QUERY,
  ...declaration,
})

const NO_QUERY = z.object({})

export const verbOf = ({ body }: Route): 'get' | 'post' => (body ? 'post' : 'get')

/** The JSON reply of an endpoint that answers with all its rows at once. */
export async function pageReply(rows: string, page: Page): Promise<Json> {
  const items: Json[] = []
  for await (const item of page.items) items.push(item)
  const fields = typeof page.fields === 'function' ? await page.fields() : (page.fields ?? {})
  const further = Object.entries(fields).map(([key, value]) => `,"${key}":${value}`)
  return `{"${rows}":[${items.join(',')}]${further.join('')}}`
}

/** Key of the rows in the reply of a list. */
export const rowsKey = (route: Extract<Route, { kind: 'list' }>, rules: ProfileRules): string =>
  typeof route.rows === 'string' ? route.rows : route.rows(rules)

/** What the documentation says of a route. */
export const routeFacts = (route: Route, rules: ProfileRules): RouteFacts => ({
  ...route,
  reply: route.reply(rules),
  list: route.kind === 'list',
})
