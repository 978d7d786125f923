import { IndexerError } from '@shardwalk/model'

/** Whether the same request may succeed later. */
const RETRY = {
  message_malformed: 'never',
  message_out: 'never',
  no_room: 'never',
  not_accepted: 'never',
  no_such_shard: 'later',
  block_too_new: 'later',
  deadline: 'later',
  not_run: 'later',
  wallet_has_no_code: 'never',
  not_a_wallet: 'never',
  wallet_not_supported: 'never',
  request_not_composed: 'never',
  too_many_messages: 'never',
} as const satisfies Readonly<Record<string, 'later' | 'never'>>

/** Codes of `EmulationError`. */
export type EmulationCode = keyof typeof RETRY

/** No trace can be emulated: the message is invalid, or its first transaction would not be executed. */
export class EmulationError extends IndexerError {
  readonly retry: 'later' | 'never'

  constructor(
    readonly code: EmulationCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.retry = RETRY[code]
  }
}
