import { IndexerError } from '@shardwalk/model'

/** An answer in a form that we do not know: the node may be newer, and does not lie. */
export class AnswerNotUnderstood extends Error {}

/** Codes of errors that say nothing about what a node has sent: something else was not to be had. */
const UNRELATED = new Set(['no_peer_answered', 'block_not_available'])

/** Whether the error means that a node has sent what is false. */
export const isLie = (error: unknown): boolean => error instanceof IndexerError && !UNRELATED.has(error.code)

/** None of the nodes that were asked has given an answer that is valid. */
export class NoPeerAnswered extends IndexerError {
  readonly code = 'no_peer_answered'
  readonly retry = 'later'
  /** Nodes that have said that they do not have it; the others were silent, which means nothing. */
  readonly saidNo: number

  constructor(message: string, options: ErrorOptions & { readonly saidNo?: number } = {}) {
    super(message, options)
    this.saidNo = options.saidNo ?? 0
  }
}
