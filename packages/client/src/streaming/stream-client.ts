import { ApiError } from '../errors.ts'
import type { AddressLike } from '../query.ts'
import { askedMs, type ClientOptions, pause, refusalOf, Transport } from '../transport.ts'
import type { Finality, StreamEvent } from './events.ts'
import { sseFrames } from './sse-frames.ts'

/** What a stream sends: types of events, and of which accounts or traces. */
export interface Subscription {
  readonly types: readonly StreamEvent['type'][]
  readonly addresses?: readonly AddressLike[]
  /** Normalised hashes of external messages; for `trace`. */
  readonly traces?: readonly string[]
  readonly minFinality?: Finality
  readonly addressBook?: boolean
  readonly metadata?: boolean
  readonly actionTypes?: readonly string[]
  /** Of `transactions`: only those whose incoming message has a body of this hash, hex or base64. */
  readonly bodyHash?: string
  /** Begin with what happened after this masterchain block. */
  readonly resumeFrom?: number
  /** Without `resumeFrom`: begin with what happened in the last 30 seconds, and what is pending. */
  readonly recent?: boolean
}

export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal
  /** Called when the connection was lost, with the milliseconds until the next attempt. */
  readonly onLost?: (error: unknown, retryInMs: number) => void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
const LONGEST_ASKED_MS = 600_000
/** The server sends something every 15 seconds. Milliseconds. */
const SILENCE_MS = 40_000

/** Follows accounts and traces. */
export class StreamClient {
  private readonly transport: Transport
  private readonly maxRetryAfterMs: number

  constructor(options: ClientOptions) {
    this.maxRetryAfterMs = options.maxRetryAfterMs ?? LONGEST_ASKED_MS
    this.transport = new Transport({ ...options, retries: 0, timeoutMs: SILENCE_MS })
  }

  /**
   * Events, without an end. When the connection is lost, another one begins where it ended, so that no
   * finalized event is missed; some may come twice. At a server that is far behind, such as one whose
   * database was made anew, it begins with what comes next there; `onLost` is told. Throws `ApiError` if the
   * subscription is refused or the server asks for more patience than `maxRetryAfterMs`, and the reason of
   * `signal`.
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
        if (isBeyond(error, position)) position.after = undefined
        else if (error instanceof ApiError && !MAY_PASS.includes(error.status)) throw error
        const waitMs = waitAfter(error, { failures, most: this.maxRetryAfterMs })
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
    const body = bodyOf(subscription, position.after)
    const bytes = this.transport.stream({ path: '/api/streaming/v2/sse', body, repeatable: false, signal })
    for await (const { event, id, data } of sseFrames(bytes)) {
      if (event === 'error') throw refusedWith(data)
      yield event === 'event' ? (JSON.parse(data) as StreamEvent) : undefined
      // After the event was taken: one that was not is sent again.
      if (id !== undefined) position.after = Number(id)
    }
  }
}

/** Too many connections, or a server that starts or stops. */
const MAY_PASS = [429, 502, 503, 504]

function refusedWith(data: string): ApiError {
  const { message = data, indexed } = refusalOf(data)
  return new ApiError(400, message, undefined, indexed)
}

/** Whether the server, whose database may have been made anew, is far from where the stream was. */
const isBeyond = (error: unknown, { after }: { readonly after: number | undefined }): boolean =>
  error instanceof ApiError && after !== undefined && after > (error.indexed?.to ?? after)

/** Longer from one failure to the next, and as long as the server asks. Milliseconds. */
function waitAfter(
  error: unknown,
  { failures, most }: { readonly failures: number; readonly most: number },
): number {
  return Math.max(askedMs(error, most) ?? 0, Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS))
}

const bodyOf = (wanted: Subscription, after: number | undefined) => ({
  types: wanted.types,
  addresses: wanted.addresses?.map((one) => (typeof one === 'string' ? one : one.toRawString())),
  trace_external_hash_norms: wanted.traces,
  min_finality: wanted.minFinality,
  include_address_book: wanted.addressBook,
  include_metadata: wanted.metadata,
  action_types: wanted.actionTypes,
  msg_body_hash: wanted.bodyHash,
  resume_from: after,
  replay_existing: wanted.recent,
})
