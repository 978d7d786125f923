import { ApiError } from './errors.ts'

export interface ClientOptions {
  /** Of the server, without a path: `http://127.0.0.1:8081`. */
  readonly url: string
  readonly apiKey?: string
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch
  /** How often a request is repeated when the server is busy (429, 503) or not reached; default 3. */
  readonly retries?: number
  /**
   * Longest wait that the server may ask for (`Retry-After`); when it asks for more, the request fails at
   * once with an `ApiError` that has the time. Default 60,000; of streams 600,000.
   */
  readonly maxRetryAfterMs?: number
  /** Of one attempt, and of the next bytes of an export; default 30,000. */
  readonly timeoutMs?: number
  /**
   * Replies of API v3 are never older than those before, whichever replica answers (`min_mc_seqno`); default
   * false.
   */
  readonly neverGoBack?: boolean
}

/** The parsed reply of the server, of any status. */
export interface Answer {
  readonly body: unknown
  readonly headers: Headers
}

/** A request, with what decides whether it may be repeated. */
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
const DEFAULT_TIMEOUT_MS = 30_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
const LONGEST_ASKED_MS = 60_000
/** Timers wait no longer. Source: HTML standard, `setTimeout`: a signed 32-bit integer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** HTTP with retries. Throws `ApiError`; what `fetch` throws when the server was not reached. */
export class Transport {
  /** Newest masterchain block that a reply of v3 took into account. */
  private seen = 0

  constructor(private readonly options: ClientOptions) {}

  async send(call: Call): Promise<Answer> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = this.options
    return this.repeat(call, async () => {
      const response = await this.open(call, AbortSignal.timeout(timeoutMs))
      return { body: JSON.parse(await response.text()), headers: response.headers }
    })
  }

  /**
   * The bytes of a reply of any length as they arrive, no faster than they are read. Requests are repeated
   * until a reply begins; `timeoutMs` is then the longest wait for its next bytes. Who stops reading closes
   * the connection.
   */
  async *stream(call: Call): AsyncGenerator<Uint8Array> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = this.options
    const { stop, reader } = await this.repeat(call, async () => {
      const stop = new AbortController()
      const response = await inTime(this.open(call, stop.signal), timeoutMs, stop)
      return { stop, reader: response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array> }
    })
    try {
      for (;;) {
        const { done, value } = await inTime(reader.read(), timeoutMs, stop)
        if (done) return
        yield value
      }
    } finally {
      stop.abort()
    }
  }

  private async repeat<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const { retries = 3, maxRetryAfterMs = LONGEST_ASKED_MS } = this.options
    for (let count = 0; ; count++) {
      try {
        return await attempt()
      } catch (error) {
        if (count >= retries || call.signal?.aborted || !isPassing(error, call)) throw error
        const usualMs = Math.min(FIRST_WAIT_MS * 2 ** count, LONGEST_WAIT_MS)
        await pause(askedMs(error, maxRetryAfterMs) ?? usualMs, call.signal)
      }
    }
  }

  /** A reply that is no refusal. */
  private async open({ path, query, body, signal }: Call, deadline: AbortSignal): Promise<Response> {
    const { url, apiKey, neverGoBack = false } = this.options
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
    if (!response.ok) throw toError(response, await response.text())
    return response
  }
}

/**
 * Milliseconds that the server asks to wait (`Retry-After`); undefined when it does not. Throws the error if
 * they exceed `most`.
 */
export function askedMs(error: unknown, most: number): number | undefined {
  if (!(error instanceof ApiError) || error.retryAfterSeconds === undefined) return undefined
  const ms = error.retryAfterSeconds * 1000
  if (ms > Math.min(most, LONGEST_TIMER_MS)) throw error
  return ms
}

async function inTime<T>(work: Promise<T>, ms: number, stop: AbortController): Promise<T> {
  const timer = setTimeout(() => stop.abort(new DOMException('the server was silent', 'TimeoutError')), ms)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/** What the server says of a request that failed. */
function toError({ status, headers }: Response, text: string): ApiError {
  const { message = `status ${status}`, indexed } = refusalOf(text)
  return new ApiError(status, message, secondsOf(headers.get('Retry-After')), indexed)
}

/** Seconds, or a date, as some proxies send it. Source: RFC 9110, 10.2.3. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter)
  const at = retryAfter.endsWith('GMT') ? Date.parse(retryAfter) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000)
}

interface Refusal {
  readonly message?: string | undefined
  readonly indexed?: ApiError['indexed']
}

/** What an error body says; nothing if it has another form. */
export function refusalOf(text: string): Refusal {
  try {
    const { error, indexed } = JSON.parse(text) as { readonly error?: unknown; readonly indexed?: unknown }
    return typeof error === 'string' ? { message: error, indexed: indexed as Refusal['indexed'] } : {}
  } catch {
    return {}
  }
}

const isPassing = (error: unknown, { repeatable }: Call): boolean =>
  error instanceof ApiError ? BUSY.includes(error.status) : repeatable

/** Rejects with the reason of the signal. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
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
