import { TABLES } from '@shardwalk/tables'
import { CopyBuffer } from './copy-buffer.ts'

/** Rows of `codes`: the distinct contract codes of a batch. */
export class CodeRows {
  readonly rows = new CopyBuffer(TABLES.codes, 256)
  private readonly written = new Set<string>()

  /** `hash`: of the code cell, 32 bytes. Does nothing if the batch has the code already. */
  add(hash: Buffer, boc: Buffer): void {
    const key = hash.toString('latin1')
    if (this.written.has(key)) return
    this.written.add(key)
    this.rows.startRow()
    this.rows.bytea('code_hash', hash)
    this.rows.bytea('boc', boc)
  }
}
