/** An output whose lines wait in memory while nobody reads them. */
export interface SlowOutput {
  readonly writableLength?: number
  write(text: string): unknown
}

/** Most that waits. Bytes; a thousand times what a pipe holds, and little of the memory of a process. */
const MOST_WAITING = 8 * 2 ** 20

/**
 * Lines for a reader that may have stopped for long, such as a pager or a suspended collector of logs. Beyond
 * what may wait they are left out and counted, until all that waits was read. If each were kept, a pager that
 * is forgotten for a night would end the process.
 */
export class WaitingLines {
  private lost = 0

  /** `onLost`: called with the number of lines that were left out, before the next one is written. */
  constructor(
    private readonly output: SlowOutput,
    private readonly onLost: (lines: number) => void,
  ) {}

  write(text: string): void {
    const { writableLength = 0 } = this.output
    if (writableLength > (this.lost > 0 ? 0 : MOST_WAITING)) {
      this.lost++
      return
    }
    const { lost } = this
    this.lost = 0
    if (lost > 0) this.onLost(lost)
    this.output.write(text)
  }
}

export const LOST_LINES = 'lines of the log left out, because nobody read them'
