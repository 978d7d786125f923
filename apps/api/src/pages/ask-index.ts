import { parseQueryString, readQuery } from '@shardwalk/api-schema'
import type { Replies } from '@shardwalk/pages'
import { ReplySize } from '@shardwalk/replies'
import type { Request } from 'express'
import { inContext } from '../http/answer-from-index.ts'
import { parseReply } from '../http/parse-reply.ts'
import { pageReply, type Route, rowsKey } from '../http/route.ts'
import type { ApiServices } from '../services.ts'
import { INDEX_ROUTES } from '../v3/routes/index.ts'

type IndexRoute = Extract<Route, { kind: 'object' | 'list' }>

/** Parameters as in the query string. */
export type Parameters = Readonly<Record<string, string | number | undefined>>

/** A reply of API v3, for a page. */
export interface Answered<Name extends keyof Replies> {
  readonly reply: Replies[Name]
  /** Cursor of the next page. */
  readonly next: string | undefined
}

/** Larger replies are not turned into pages. Bytes. */
const MAX_BYTES = 8_000_000

/**
 * Asks the index as a request of API v3 would, with the same statements and serialisers, so that a page says
 * the same. Throws what the route throws, including `HttpError` 404.
 */
export class IndexAnswers {
  private readonly routes: ReadonlyMap<string, IndexRoute>

  constructor(private readonly services: ApiServices) {
    this.routes = new Map(
      INDEX_ROUTES.filter(
        (route): route is IndexRoute => route.kind === 'object' || route.kind === 'list',
      ).map((route) => [route.path.replace('/api/v3/', ''), route]),
    )
  }

  async ask<Name extends keyof Replies>(
    request: Request,
    name: Name,
    parameters: Parameters,
  ): Promise<Answered<Name>> {
    const route = this.routes.get(name)!
    const { services } = this
    const raw = parseQueryString(toSearch(parameters))
    const { value } = readQuery(route.query, raw, {
      rules: services.rules,
      defaultLimit: services.defaultLimit,
      alsoKnown: [],
    })
    const size = new ReplySize(Math.min(MAX_BYTES, services.maxReplyBytes))
    return inContext({ request, raw, services, size }, async (context) => {
      if (route.kind === 'object')
        return { reply: parseReply(await route.handle(context, value as never)), next: undefined }
      const page = await route.page(context, value as never)
      return {
        reply: parseReply(await pageReply(rowsKey(route, services.rules), page, size)),
        next: page.next,
      }
    })
  }
}

function toSearch(parameters: Parameters): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) search.append(name, String(value))
  return search.toString()
}
