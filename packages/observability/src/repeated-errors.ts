import { RecentMap } from '@shardwalk/model'
import type { LogFields } from './logger.ts'

const WINDOW_MS = 60_000
const MAX_KEYS = 1_000

interface Seen {
  readonly at: number
  suppressed: number
}

/**
 * Admits entries with the same message and error once a minute. A failure that persists, such as a full disk,
 * would otherwise fill the log with equal lines.
 */
export class RepeatedErrors {
  private readonly seen = new RecentMap<string, Seen>(MAX_KEYS)

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The fields to write; undefined if the entry is not written. */
  admit(message: string, fields: LogFields): LogFields | undefined {
    const error = fields['error']
    if (!(error instanceof Error) && typeof error !== 'string') return fields
    const key = JSON.stringify([message, fields['path'], textOf(error)])
    const before = this.seen.get(key)
    if (before && this.now() - before.at < WINDOW_MS) {
      before.suppressed++
      return undefined
    }
    this.seen.set(key, { at: this.now(), suppressed: 0 })
    return before && before.suppressed > 0 ? { ...fields, repeated: before.suppressed } : fields
  }
}

/** Numbers of blocks, files and milliseconds differ where the reason is the same. */
const textOf = (error: Error | string): string => {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const text = typeof error === 'string' ? error : `${code} ${error.name} ${error.message}`
  return text.replace(/\d+/g, 'N').slice(0, 500)
}
