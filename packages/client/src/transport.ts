import { ApiError } from './errors.ts'

export interface ClientOptions {
  /** Of the server, without a path: `http://127.0.0.1:8081`. */
  readonly url: string
  readonly apiKey?: string
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch
  /** How often a request is repeated when the server is busy (429, 503) or not reached; default 3. */
  readonly retries?: number
  /** Of one attempt; default 30,000. */
  readonly timeoutMs?: number
  /**
   * Replies of API v3 are never older than those before, whichever replica answers (`min_mc_seqno`); default
   * false.
   */
  readonly neverGoBack?: boolean
}

export interface Answer {
  readonly body: unknown
  readonly headers: Headers
}

export interface Call {
  readonly path: string
  readonly query?: URLSearchParams
  /** Posted as JSON. */
  readonly body?: unknown
  /** Whether it may be repeated after the connection broke; sending a message may not. */
  readonly repeatable: boolean
  readonly signal?: AbortSignal | undefined
}

const BUSY = [429, 503]
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

/** HTTP with retries. Throws `ApiError`; what `fetch` throws when the server was not reached. */
export class Transport {
  /** Newest masterchain block that a reply of v3 took into account. */
  private seen = 0

  constructor(private readonly options: ClientOptions) {}

  async send(call: Call): Promise<Answer> {
    const { retries = 3 } = this.options
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.attempt(call)
      } catch (error) {
        if (attempt >= retries || call.signal?.aborted || !isPassing(error, call)) throw error
        const asked = error instanceof ApiError ? error.retryAfterSeconds : undefined
        const waitMs = asked === undefined ? FIRST_WAIT_MS * 2 ** attempt : asked * 1000
        await pause(Math.min(waitMs, LONGEST_WAIT_MS), call.signal)
      }
    }
  }

  private async attempt({ path, query, body, signal }: Call): Promise<Answer> {
    const { url, apiKey, timeoutMs = 30_000, neverGoBack = false } = this.options
    const deadline = AbortSignal.timeout(timeoutMs)
    const parameters = new URLSearchParams(query)
    if (neverGoBack && body === undefined && path.startsWith('/api/v3/'))
      parameters.set('min_mc_seqno', String(this.seen))
    const search = parameters.size > 0 ? `?${parameters}` : ''
    const response = await (this.options.fetch ?? fetch)(`${url.replace(/\/+$/, '')}${path}${search}`, {
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: {
        ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    this.seen = Math.max(this.seen, Number(response.headers.get('X-Indexed-Mc-Seqno')))
    const text = await response.text()
    if (!response.ok) throw toError(response, text)
    return { body: JSON.parse(text), headers: response.headers }
  }
}

/** What the server says of a request that failed. */
export function toError({ status, headers }: Response, text: string): ApiError {
  const after = Number(headers.get('Retry-After') ?? Number.NaN)
  return new ApiError(
    status,
    messageOf(text) ?? `status ${status}`,
    Number.isFinite(after) ? after : undefined,
  )
}

function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

const isPassing = (error: unknown, { repeatable }: Call): boolean =>
  error instanceof ApiError ? BUSY.includes(error.status) : repeatable

/** Rejects with the reason of the signal. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
