import { CODE_COLUMNS } from './columns.ts'
import { CopyBuffer } from './copy-buffer.ts'

/** Code of contracts met in one batch, each once. */
export class CodeRows {
  readonly rows = new CopyBuffer(CODE_COLUMNS.length, 256)
  private readonly written = new Set<string>()

  add(hash: Buffer, boc: Buffer): void {
    const key = hash.toString('latin1')
    if (this.written.has(key)) return
    this.written.add(key)
    this.rows.startRow()
    this.rows.bytea(hash)
    this.rows.bytea(boc)
  }
}
