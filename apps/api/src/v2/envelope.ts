import { type ExactJson, toJsonText } from '@shardwalk/api-schema'

/** Members that are returned unchanged. */
export interface Echo {
  /** The client's own `@extra`; otherwise one is generated. */
  readonly extra?: string | undefined
  /** For JSON-RPC requests only. */
  readonly jsonrpc?: string | undefined
  readonly id?: string | undefined
}

/** What a JSON-RPC reply repeats from its request. A numeric `id` becomes a string, as in TON Center. */
export function rpcEcho(body: { readonly [key: string]: ExactJson }): Echo {
  const { jsonrpc, id, '@extra': extra } = body
  const isNumber = typeof id === 'number' || typeof id === 'bigint'
  return {
    extra: typeof extra === 'string' ? extra : undefined,
    jsonrpc: typeof jsonrpc === 'string' ? jsonrpc : undefined,
    id: typeof id === 'string' ? id : isNumber ? String(id) : undefined,
  }
}

/** How an answer was obtained. */
export interface Effort {
  readonly startedAt: number
  readonly servers: ReadonlySet<number>
}

/** `<unix seconds>:<numbers of servers, or _>:<seconds>`, the format of TON Center. */
const madeExtra = ({ startedAt, servers }: Effort): string => {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(6)
  return `${Math.floor(Date.now() / 1000)}:${servers.size > 0 ? [...servers].join(',') : '_'}:${seconds}`
}

/** `result`: as JSON text. */
export const successText = (result: string, echo: Echo, effort: Effort): string =>
  `{"ok":true,"result":${result},${toJsonText({
    '@extra': echo.extra ?? madeExtra(effort),
    jsonrpc: echo.jsonrpc,
    id: echo.id,
  }).slice(1)}`

/** `effort` is undefined when nothing was tried. */
export const failureText = (status: number, text: string, echo: Echo = {}, effort?: Effort): string =>
  toJsonText({
    ok: false,
    error: text || 'unknown error',
    code: status,
    '@extra': echo.extra ?? (effort ? madeExtra(effort) : '_'),
    jsonrpc: echo.jsonrpc,
    id: echo.id,
  })
