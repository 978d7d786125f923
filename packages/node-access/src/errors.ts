import { IndexerError } from '@shardwalk/model'

/** Whether the same request may succeed later. */
const RETRY = {
  aborted: 'later',
  head_not_available: 'later',
  no_such_workchain: 'never',
  no_such_shard: 'later',
  before_first_block: 'never',
  block_not_kept: 'later',
  proof_base_too_old: 'never',
  proof_too_long: 'never',
  proof_not_back_links: 'later',
  no_archive_server: 'later',
  transaction_not_found: 'later',
  too_many_libraries: 'never',
  get_method_timeout: 'later',
  get_method_result_too_big: 'never',
  get_method_arguments_refused: 'never',
  get_method_suspended: 'later',
  get_method_not_run: 'later',
  fees_not_estimated: 'never',
  workchain_not_executable: 'never',
  message_malformed: 'never',
  message_not_external: 'never',
  message_too_large: 'never',
  not_a_token: 'never',
  bad_domain: 'never',
  domain_not_resolved: 'later',
} as const satisfies Readonly<Record<string, 'later' | 'never'>>

/** Stable codes, from which the API chooses a status. */
export type NodeAccessCode = keyof typeof RETRY

/**
 * The request cannot be answered although lite servers replied. Failures of the servers themselves are errors
 * of `@shardwalk/liteserver`; errors of a contract are results.
 */
export class NodeAccessError extends IndexerError {
  readonly retry: 'later' | 'never'

  constructor(
    readonly code: NodeAccessCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.retry = RETRY[code]
  }
}
