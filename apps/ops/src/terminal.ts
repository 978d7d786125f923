import type { WriteStream } from 'node:tty'
import { WaitingLines } from '@shardwalk/observability'

/**
 * Log lines with a status line below that is redrawn in place. If the output is not a terminal, there is no
 * status line.
 */
export class Terminal {
  private shownStatus = ''
  private readonly lines: WaitingLines
  /** Called with the number of lines that were left out because nobody read them: see `WaitingLines`. */
  onLost: (lines: number) => void = () => {}

  constructor(
    private readonly output: NodeJS.WritableStream &
      Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'writableLength'>>,
  ) {
    this.lines = new WaitingLines(output, (lines) => this.onLost(lines))
  }

  get isTerminal(): boolean {
    return this.output.isTTY === true
  }

  line(text: string): void {
    this.lines.write(`${this.erase()}${text}\n${this.shownStatus}`)
  }

  status(text: string): void {
    if (!this.isTerminal) return
    const erase = this.erase()
    this.shownStatus = text.slice(0, Math.max(20, (this.output.columns ?? 80) - 1))
    this.output.write(erase + this.shownStatus)
  }

  private erase(): string {
    return this.shownStatus === '' ? '' : '\r\u001b[K'
  }
}
