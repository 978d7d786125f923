import { InvalidQuery, V2Refusal } from '@shardwalk/api-schema'
import { type NodeAccessCode, NodeAccessError } from '../errors.ts'
import type { ReadBody } from './tasks.ts'

/** Result of a thread; errors lose their class when they are passed between threads. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly refusal: PlainRefusal }
  | { readonly invalid: string }
  | { readonly failure: { readonly code: NodeAccessCode; readonly message: string } }

type PlainRefusal = Pick<V2Refusal, 'inner' | 'stage' | 'status'>

const plain = ({ inner, stage, status }: V2Refusal): PlainRefusal => ({ inner, stage, status })
const revived = ({ inner, stage, status }: PlainRefusal): V2Refusal => new V2Refusal(inner, stage, status)

/** Rethrows errors of the thread that are not caused by the request. */
export function toOutcome(work: () => unknown): Outcome {
  try {
    return { value: withPlainStack(work()) }
  } catch (error) {
    if (error instanceof V2Refusal) return { refusal: plain(error) }
    if (error instanceof InvalidQuery) return { invalid: error.message }
    if (error instanceof NodeAccessError) return { failure: { code: error.code, message: error.message } }
    throw error
  }
}

/** The value of an outcome, or throws its error. */
export function fromOutcome(outcome: Outcome): unknown {
  if ('refusal' in outcome) throw revived(outcome.refusal)
  if ('invalid' in outcome) throw new InvalidQuery(outcome.invalid)
  if ('failure' in outcome) throw new NodeAccessError(outcome.failure.code, outcome.failure.message)
  return withRevivedStack(outcome.value)
}

const withPlainStack = (value: unknown): unknown => mapRefusal(value, plain)
const withRevivedStack = (value: unknown): unknown =>
  mapRefusal(value, revived as (plain: V2Refusal) => V2Refusal)

/** Maps the error about the stack in a parsed body. */
function mapRefusal(value: unknown, map: (refusal: V2Refusal) => unknown): unknown {
  const refusal = typeof value === 'object' ? (value as ReadBody).stack?.refusal : undefined
  return refusal ? { ...(value as ReadBody), stack: { refusal: map(refusal) } } : value
}
