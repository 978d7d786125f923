import type { ExactJson, V2Refusal } from '@shardwalk/api-schema'
import type { Work } from './request-threads.ts'
import { type BodyInput, type JsonBody, type ReadStack, readStack, type StackForm } from './tasks.ts'

/** Arguments of a get-method read from a body. An error in them is thrown when the handler takes them. */
class PreparedStack {
  constructor(private readonly stack: ReadStack) {}

  /** A bag of cells; undefined when there are none. Throws `V2Refusal`. */
  take(): Uint8Array | undefined {
    const { boc, refusal } = this.stack as { boc?: Uint8Array; refusal?: V2Refusal }
    if (refusal) throw refusal
    return boc
  }
}

/** The arguments in a body: prepared, or as sent. Throws `V2Refusal`. */
export const argumentsOf = (stack: unknown, form: StackForm): Uint8Array | undefined =>
  (stack instanceof PreparedStack ? stack : new PreparedStack(readStack(form, stack as ExactJson))).take()

/** A request's body with its stack prepared. Rejects with `V2Refusal`, `InvalidQuery`. */
export async function readNodeBody(input: BodyInput, work: Work): Promise<JsonBody> {
  const { form } = input
  const { body, stack } = await work('readBody', input)
  if (!stack) return body
  const prepared = { stack: new PreparedStack(stack) as unknown as ExactJson }
  if (form) return { ...body, ...prepared }
  return { ...body, params: { ...(body['params'] as JsonBody), ...prepared } }
}
