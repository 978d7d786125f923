import { type Clock, delay } from '../clock.ts'
import { LiteServerError } from '../errors.ts'
import { isMessageRefusal } from './verdict.ts'

/** How long other servers may take to accept what one has refused, or has already. Milliseconds. */
const PATIENCE_MS = 2_000

const DUPLICATE = /duplicate message/i

const isDuplicate = (error: unknown): boolean =>
  error instanceof LiteServerError && DUPLICATE.test(error.serverMessage)

/**
 * Resolves as soon as a server has accepted a message; the others go on. What servers refuse may be accepted
 * by one that is ahead of them, so the others have a little time. "Duplicate message" counts as accepted if
 * none accepts it: that server may still be running a copy that it will refuse. Rejects with the reason why
 * the message was refused, or with the first failure if no server gave one.
 */
export async function firstAcceptance(
  sends: readonly Promise<unknown>[],
  { clock, patienceMs = PATIENCE_MS }: { readonly clock: Clock; readonly patienceMs?: number | undefined },
): Promise<void> {
  const failures: unknown[] = []
  const decided = new AbortController()
  const patience = new Promise<void>((resolve) => {
    const note = (error: unknown) => {
      failures.push(error)
      if (error instanceof LiteServerError) delay(clock, patienceMs, decided.signal).then(resolve, () => {})
    }
    for (const send of sends) send.catch(note)
  })
  const all = Promise.any(sends).then(
    () => true,
    () => false,
  )
  const isAccepted = await Promise.race([all, patience.then(() => false)])
  decided.abort()
  if (!isAccepted && !failures.some(isDuplicate)) throw reasonOf(failures)
}

/** A server that is late or limits requests says nothing of the message. */
const reasonOf = (failures: readonly unknown[]): unknown =>
  failures.find(isMessageRefusal) ?? failures.find((error) => error instanceof LiteServerError) ?? failures[0]
