import { createWriteStream, type WriteStream } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const TAKE_EVERY_MS = 1_000
const WORDS = /"message":"((?:[^"\\]|\\.)*)"/

/** What the processes write, in a file instead of in memory. */
export class ServiceLog {
  /** Lines that report a lite server. */
  readonly reported: string[] = []
  /** Messages of errors, and how many. */
  readonly errors = new Map<string, number>()
  private readonly file: WriteStream

  /** `lines`: are taken away. */
  constructor(
    private readonly lines: string[],
    path: string,
  ) {
    this.file = createWriteStream(path)
  }

  async until(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.take()
      await delay(TAKE_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    this.take()
    this.file.end()
  }

  private take(): void {
    for (const line of this.lines.splice(0)) {
      this.file.write(`${line}\n`)
      const [, message = ''] = WORDS.exec(line) ?? []
      if (message === 'lite server reported') this.reported.push(line)
      if (/"level":"error"/.test(line)) this.errors.set(message, (this.errors.get(message) ?? 0) + 1)
    }
  }
}
