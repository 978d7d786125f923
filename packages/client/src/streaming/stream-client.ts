import { ApiError } from '../errors.ts'
import type { AddressLike } from '../query.ts'
import { type ClientOptions, pause, toError } from '../transport.ts'
import type { Finality, StreamEvent } from './events.ts'
import { sseFrames } from './sse-frames.ts'

export interface Subscription {
  readonly types: readonly StreamEvent['type'][]
  readonly addresses?: readonly AddressLike[]
  /** Normalised hashes of external messages; for `trace`. */
  readonly traces?: readonly string[]
  readonly minFinality?: Finality
  readonly addressBook?: boolean
  readonly metadata?: boolean
  readonly actionTypes?: readonly string[]
  /** Begin with what happened after this masterchain block. */
  readonly resumeFrom?: number
}

export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal
  /** Called when the connection was lost, with the milliseconds until the next attempt. */
  readonly onLost?: (error: unknown, retryInMs: number) => void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
/** The server sends something every 15 seconds. Milliseconds. */
const SILENCE_MS = 40_000

/** Follows accounts and traces. */
export class StreamClient {
  constructor(private readonly options: ClientOptions) {}

  /**
   * Events, without an end. When the connection is lost, another one begins where it ended, so that no
   * finalized event is missed; some may come twice. Throws `ApiError` if the subscription is refused, and the
   * reason of `signal`.
   */
  async *events(
    subscription: Subscription,
    { signal, onLost }: StreamOptions = {},
  ): AsyncGenerator<StreamEvent> {
    const position = { after: subscription.resumeFrom }
    for (let failures = 0; ; failures++) {
      try {
        for await (const event of this.connection(subscription, position, signal)) {
          failures = 0
          if (event) yield event
        }
        throw new Error('the server ended the stream')
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (error instanceof ApiError && !MAY_PASS.includes(error.status)) throw error
        const waitMs = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS)
        onLost?.(error, waitMs)
        await pause(waitMs, signal)
      }
    }
  }

  /** One connection; undefined for signs of life. */
  private async *connection(
    subscription: Subscription,
    position: { after: number | undefined },
    signal: AbortSignal | undefined,
  ): AsyncGenerator<StreamEvent | undefined> {
    const silence = new AbortController()
    const touch = () => setTimeout(() => silence.abort(new Error('the server is silent')), SILENCE_MS)
    let timer = touch()
    try {
      const response = await this.open(subscription, position.after, [
        silence.signal,
        ...(signal ? [signal] : []),
      ])
      for await (const { event, id, data } of sseFrames(response.body as never)) {
        clearTimeout(timer)
        timer = touch()
        if (event === 'error') throw new ApiError(400, data, undefined)
        const isEvent = event === 'event'
        yield isEvent ? (JSON.parse(data) as StreamEvent) : undefined
        // After the event was taken: one that was not is sent again.
        if (id !== undefined) position.after = Number(id)
      }
    } finally {
      clearTimeout(timer)
      silence.abort()
    }
  }

  private async open(
    subscription: Subscription,
    after: number | undefined,
    signals: readonly AbortSignal[],
  ): Promise<Response> {
    const { url, apiKey } = this.options
    const response = await (this.options.fetch ?? fetch)(`${url.replace(/\/+$/, '')}/api/streaming/v2/sse`, {
      method: 'POST',
      signal: AbortSignal.any([...signals]),
      headers: { 'Content-Type': 'application/json', ...(apiKey !== undefined && { 'X-API-Key': apiKey }) },
      body: JSON.stringify(bodyOf(subscription, after)),
    })
    if (!response.ok) throw toError(response, await response.text())
    return response
  }
}

/** Too many connections, or a server that starts or stops. */
const MAY_PASS = [429, 502, 503, 504]

const bodyOf = (wanted: Subscription, after: number | undefined) => ({
  types: wanted.types,
  addresses: wanted.addresses?.map((one) => (typeof one === 'string' ? one : one.toRawString())),
  trace_external_hash_norms: wanted.traces,
  min_finality: wanted.minFinality,
  include_address_book: wanted.addressBook,
  include_metadata: wanted.metadata,
  action_types: wanted.actionTypes,
  resume_from: after,
})
