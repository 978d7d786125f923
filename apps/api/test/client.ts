import { silentLogger } from '@shardwalk/observability'
import { keepPlans } from '@shardwalk/queries'
import type { ScratchDatabase } from '@shardwalk/testkit'
import type { ApiOptions } from '../src/api-options.ts'
import { createApi } from '../src/create-api.ts'
import { listen, type RunningServer, type ServerLimits } from '../src/server.ts'

export type Json = Record<string, unknown>
export type Query = Readonly<
  Record<string, string | number | bigint | boolean | readonly (string | number)[] | undefined>
>

export interface Reply<T = Json> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** A running API over a scratch database, requested over HTTP as clients do. */
export class Client {
  private constructor(
    readonly server: RunningServer,
    private readonly headers: Record<string, string>,
  ) {}

  static async start(
    scratch: Pick<ScratchDatabase, 'pool'>,
    options: Pick<
      ApiOptions,
      | 'profile'
      | 'exportMaxRows'
      | 'exportConcurrency'
      | 'imageProxy'
      | 'marketplaces'
      | 'maxReplyBytes'
      | 'onStreams'
      | 'streaming'
      | 'pages'
      | 'access'
      | 'trustedProxies'
    > &
      Partial<Pick<ApiOptions, 'db'>> = {},
    limits: Partial<ServerLimits> = {},
  ): Promise<Client> {
    const db = keepPlans(scratch.pool)
    const app = createApi({ db, writableDb: db, log: silentLogger, ...options })
    return new Client(await listen(app, { host: '127.0.0.1', port: 0 }, limits), {})
  }

  url(path: string, query: Query = {}): string {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
    return `${this.server.url}${path.startsWith('/') ? path : `/api/v3/${path}`}?${search}`
  }

  async get<T = Json>(
    path: string,
    query: Query = {},
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    const response = await fetch(this.url(path, query), {
      headers: { 'Accept-Encoding': 'identity', ...this.headers, ...headers },
      redirect: 'manual',
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? ({} as T) : (JSON.parse(text) as T),
    }
  }

  /** All rows of a list, or the first `most`, page by page along the cursor. */
  async all(
    path: string,
    rows: string,
    query: Query = {},
    limit = 1000,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Json[]> {
    const found: Json[] = []
    let cursor: string | undefined
    do {
      const reply = await this.get(path, { ...query, limit, cursor })
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
      found.push(...(reply.body[rows] as Json[]))
      cursor = reply.headers.get('x-next-cursor') ?? undefined
    } while (cursor && found.length < most)
    return found
  }

  close(): Promise<void> {
    return this.server.close(1000)
  }
}
