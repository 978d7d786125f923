import { untilAborted, withTimeLimit } from '@shardwalk/concurrency'
import { FetchError, type GuardOptions, sendGuarded } from '@shardwalk/metadata'
import { faultOfConnection } from './fault.ts'
import { signatureHeaders } from './sign.ts'
import { checkTarget, type TargetOptions } from './target.ts'

/** All of a delivery. Milliseconds. */
const TIMEOUT_MS = 10_000
const USER_AGENT = 'Shardwalk/0.1 (webhooks)'

/** One event for one receiver. `secrets`: each `whsec_` and a key in base64. */
export interface Delivery {
  readonly url: string
  readonly secrets: readonly string[]
  /** Of the event; the same in every attempt. */
  readonly id: string
  /** JSON. */
  readonly body: Buffer
}

/** Limits of one attempt. */
export interface PostOptions extends TargetOptions {
  /** Ends the delivery early; whether the receiver got it is then unknown. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly resolve?: GuardOptions['resolve']
  /** Unix seconds. */
  readonly now?: () => number
}

/** The receiver did not accept an event. The message is fit for logs and lists: it repeats no reply. */
export class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed'
}

/**
 * Posts an event and waits for the status of the reply: 2xx accepts it. Redirects are not followed, because
 * they would carry events to where the operator did not send them. Throws `DeliveryFailed`.
 */
export function postEvent(delivery: Delivery, options: PostOptions): Promise<number> {
  const { timeoutMs = TIMEOUT_MS, signal: outer } = options
  return withTimeLimit(timeoutMs, outer, async (signal) => {
    try {
      return await untilAborted(send(delivery, { ...options, timeoutMs, signal }), signal)
    } catch (error) {
      if (error instanceof DeliveryFailed) throw error
      if (outer?.aborted) throw new DeliveryFailed('stopped', { cause: error })
      throw new DeliveryFailed(faultOf(error, signal), { cause: error })
    }
  })
}

/** Returns the status. */
async function send(
  { url, secrets, id, body }: Delivery,
  options: PostOptions & { readonly signal: AbortSignal },
): Promise<number> {
  const { allowPrivate, resolve, signal, timeoutMs, now = unixSeconds } = options
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': USER_AGENT,
    ...signatureHeaders(secrets, { id, timestamp: now(), body }),
  }
  const isAllowed = allowPrivate ? () => true : undefined
  const guard = { resolve, signal, firstByteTimeoutMs: timeoutMs, isAllowed }
  const reply = await sendGuarded(
    checkTarget(url, { allowPrivate }),
    { method: 'POST', headers, body },
    guard,
  )
  const status = reply.statusCode ?? 0
  reply.destroy()
  if (status < 200 || status > 299) throw new DeliveryFailed(`status ${status}`)
  return status
}

const unixSeconds = (): number => Math.floor(Date.now() / 1000)

function faultOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof FetchError) return error.message
  return signal.aborted ? 'no answer in time' : faultOfConnection(error)
}
