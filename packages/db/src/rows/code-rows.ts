import { TABLES } from '@shardwalk/tables'
import { CopyBuffer } from './copy-buffer.ts'

/** Distinct contract codes of a batch. */
export class CodeRows {
  readonly rows = new CopyBuffer(TABLES.codes, 256)
  private readonly written = new Set<string>()

  add(hash: Buffer, boc: Buffer): void {
    const key = hash.toString('latin1')
    if (this.written.has(key)) return
    this.written.add(key)
    this.rows.startRow()
    this.rows.bytea('code_hash', hash)
    this.rows.bytea('boc', boc)
  }
}
