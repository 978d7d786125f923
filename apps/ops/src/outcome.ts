import { errorMessage } from '@shardwalk/model'
import { EXIT, type ExitCode } from '@shardwalk/observability'

/** Ends a command with a message that says what failed and what to do, without a stack trace. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.fix,
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.name = 'CommandError'
  }
}

/** Message of an error and its causes on one line. */
export function messageOf(error: unknown): string {
  const parts: string[] = []
  for (
    let at = error;
    at !== undefined && parts.length < 5;
    at = at instanceof Error ? at.cause : undefined
  ) {
    // Node reports a refused connection to a name with several addresses as an AggregateError without a
    // message.
    const inner = at instanceof AggregateError && at.message === '' ? at.errors[0] : at
    const text = errorMessage(inner)
    if (text !== '' && !parts.some((part) => part.includes(text))) parts.push(text)
  }
  return parts.join(': ')
}
