import type { Json, ProfileRules, QuerySchema, RouteFacts } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import type { ImageProxy } from '@shardwalk/metadata'
import type { NodeAccess } from '@shardwalk/node-access'
import type { AccountCache } from '@shardwalk/queries'
import { z } from 'zod'
import type { JsonBody } from './read-body.ts'
import type { RequestSettings } from './request-settings.ts'

/** What a handler may use. */
export interface RequestContext {
  /** Bound to the request's deadline. */
  readonly db: Db
  readonly rules: ProfileRules
  readonly settings: RequestSettings
  readonly accounts: AccountCache
  /** The network's addresses carry the test flag. */
  readonly testOnly: boolean
  /** Where clients get images of tokens in three sizes; absent: replies carry no such links. */
  readonly imageProxy?: ImageProxy | undefined
}

/** Part of a list: rows are written already. */
export interface Page {
  readonly items: readonly Json[]
  /** Cursor of what follows; absent: nothing does. */
  readonly next?: string | undefined
  /** Further keys of the reply, in order, as JSON text. */
  readonly fields?: Readonly<Record<string, Json>>
}

/** Fields that every list query has. */
export interface PageQuery {
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

interface Declared<S extends QuerySchema> extends Omit<RouteFacts, 'query' | 'reply' | 'list'> {
  readonly query: S
  /** Depends on the profile. */
  readonly reply: (rules: ProfileRules) => z.ZodType
}

interface ObjectDeclaration<S extends QuerySchema> extends Declared<S> {
  readonly handle: (context: RequestContext, query: z.output<S>) => Promise<Json>
}

interface ListDeclaration<S extends QuerySchema> extends Declared<S> {
  /** Key of the rows in the reply; empty: the reply is the bare array. */
  readonly rows: string | ((rules: ProfileRules) => string)
  /** Schema of one row, for the columns of CSV. */
  readonly row: (rules: ProfileRules) => z.ZodObject
  readonly page: (context: RequestContext, query: z.output<S> & PageQuery) => Promise<Page>
}

interface NodeDeclaration<S extends QuerySchema> extends Declared<S> {
  /** Parameters that clients send and nothing depends on. */
  readonly ignored?: readonly string[]
  readonly handle: (node: NodeAccess, query: z.output<S>) => Promise<unknown>
}

interface PostDeclaration extends Omit<Declared<QuerySchema>, 'query' | 'body'> {
  /** For the documentation. Handlers read bodies themselves: clients count on the words of refusals. */
  readonly body: z.ZodObject
}

interface NodePostDeclaration extends PostDeclaration {
  readonly handle: (node: NodeAccess, body: JsonBody) => Promise<unknown>
}

interface BodyDeclaration extends PostDeclaration {
  readonly handle: (body: Readonly<Record<string, unknown>>) => Json
}

/** A declared endpoint: mounted, validated and documented from this one value. */
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
        readonly handle: (node: NodeAccess, input: never) => Promise<unknown>
      }
    | { readonly kind: 'post'; readonly handle: BodyDeclaration['handle'] }
  )

/** An endpoint that answers with one object. */
export const objectRoute = <S extends QuerySchema>(declaration: ObjectDeclaration<S>): Route =>
  ({ kind: 'object', ...declaration }) as unknown as Route

/** An endpoint that answers with rows: pages by offset and cursor, exports as NDJSON and CSV. */
export const listRoute = <S extends QuerySchema>(declaration: ListDeclaration<S>): Route =>
  ({ kind: 'list', ...declaration }) as unknown as Route

/** An endpoint that asks lite servers. */
export const nodeRoute = <S extends QuerySchema>(declaration: NodeDeclaration<S>): Route =>
  ({ kind: 'node', ...declaration }) as unknown as Route

/** An endpoint that asks lite servers about what is posted. */
export const nodePostRoute = (declaration: NodePostDeclaration): Route => ({
  kind: 'node',
  query: NO_QUERY,
  ...declaration,
})

/** An endpoint that answers from what is posted alone. */
export const postRoute = (declaration: BodyDeclaration): Route => ({
  kind: 'post',
  query: NO_QUERY,
  ...declaration,
})

const NO_QUERY = z.object({})

export const verbOf = ({ body }: Route): 'get' | 'post' => (body ? 'post' : 'get')

/** The JSON reply of a page. */
export function pageReply(rows: string, page: Page): Json {
  if (rows === '') return `[${page.items.join(',')}]`
  const fields = Object.entries(page.fields ?? {}).map(([key, value]) => `,"${key}":${value}`)
  return `{"${rows}":[${page.items.join(',')}]${fields.join('')}}`
}

/** Key of the rows of a list. */
export const rowsKey = (route: Extract<Route, { kind: 'list' }>, rules: ProfileRules): string =>
  typeof route.rows === 'string' ? route.rows : route.rows(rules)

/** What the documentation says of a route. */
export const routeFacts = (route: Route, rules: ProfileRules): RouteFacts => ({
  ...route,
  reply: route.reply(rules),
  list: route.kind === 'list',
})
