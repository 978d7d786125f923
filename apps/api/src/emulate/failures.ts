import { InvalidEmulation } from '@shardwalk/api-schema'
import { QueueFull } from '@shardwalk/concurrency'
import { type EmulationCode, EmulationError, NoPlaceFree } from '@shardwalk/emulation'
import { NodeAccessError } from '@shardwalk/node-access'
import { HttpError, httpErrorOf } from '../http/errors.ts'
import { toV2Failure } from '../node/failures.ts'

/** Everything else is 500: clients match the texts. */
const STATUS: Partial<Record<EmulationCode, number>> = {
  message_malformed: 400,
  message_out: 400,
  no_room: 400,
  no_such_shard: 400,
  too_many_messages: 400,
  deadline: 504,
}

const DEADLINE = 'failed to receive result from emulator channel: context deadline exceeded'

/** The error that a client gets; undefined for an unforeseen one. */
export function emulationFailure(error: unknown): HttpError | undefined {
  const own = httpErrorOf(error)
  if (own) return own
  if (error instanceof InvalidEmulation) return new HttpError(400, error.message)
  if (error instanceof EmulationError) {
    const { code, message } = error
    return new HttpError(
      STATUS[code] ?? 500,
      code === 'too_many_messages' ? `invalid request: ${message}` : message,
    )
  }
  if (error instanceof NoPlaceFree)
    return new HttpError(error.whose === 'client' ? 429 : 503, error.message, { 'Retry-After': '1' })
  if (error instanceof NodeAccessError && error.code === 'aborted') return new HttpError(504, DEADLINE)
  if (error instanceof QueueFull) return new HttpError(503, error.message, { 'Retry-After': '1' })
  const { status, text, headers, isUnexpected } = toV2Failure(error, 'post')
  if (isUnexpected) return undefined
  return new HttpError(status, `failed to emulate shard block: ${text}`, headers)
}
