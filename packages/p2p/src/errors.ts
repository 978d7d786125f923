import { IndexerError } from '@shardwalk/model'

/** An answer in a form unknown to this program, as newer nodes may send; not evidence of false data. */
export class AnswerNotUnderstood extends Error {}

/** Code of errors about a form that only newer versions can read. */
const FORM_NOT_KNOWN = 'form_not_known'

/** Codes of errors that say nothing against a node: something else is not available or has a newer form. */
const UNRELATED = new Set(['no_peer_answered', 'block_not_available', FORM_NOT_KNOWN])

/** Whether the error proves that the node has sent false data. */
export const isFalseData = (error: unknown): boolean =>
  error instanceof IndexerError && !UNRELATED.has(error.code)

/** Whether the node has sent something in a newer form, or made one up. */
export const isUnknownForm = (error: unknown): boolean =>
  error instanceof IndexerError && error.code === FORM_NOT_KNOWN

/** The port of the setting cannot be bound: another program has it, or it needs more rights. */
export class UdpPortNotUsable extends IndexerError {
  readonly code = 'udp_port_not_usable'
  readonly retry = 'later'

  constructor(port: number, reason: string, options: ErrorOptions) {
    super(
      `UDP port ${port} cannot be used (${reason}): set P2P_PORT to another one, or to 0 for any`,
      options,
    )
  }
}

/** No node that was asked has given a valid answer. */
export class NoPeerAnswered extends IndexerError {
  readonly code = 'no_peer_answered'
  readonly retry = 'later'
  /**
   * Number of nodes that answered that they do not have it; the others did not answer, which proves nothing.
   */
  readonly notFound: number

  constructor(message: string, options: ErrorOptions & { readonly notFound?: number } = {}) {
    super(message, options)
    this.notFound = options.notFound ?? 0
  }
}
