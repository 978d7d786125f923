import type { EncodedRows } from '../rows/encoded-rows.ts'
import { pack, type RowSpan, rowsIn } from '../rows/pick-rows.ts'
import { Remembered } from '../writing/remembered.ts'

/** Caches which contract codes are in `codes`, because nearly every batch has the same few. */
export class KnownCodes {
  private readonly hashes = new Remembered<true>(20_000)

  /**
   * Rows of codes that may not be in the table, without duplicates, sorted. Call `remember` after the commit.
   */
  unknown(parts: readonly EncodedRows[]): { readonly rows: EncodedRows; remember(): void } {
    const found = new Map<string, RowSpan>()
    for (const part of parts)
      for (const row of rowsIn(part)) {
        const hash = row.field(0).toString('latin1')
        if (!this.hashes.get(hash)) found.set(hash, row)
      }
    const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      rows: pack(sorted.map(([, row]) => row)),
      remember: () => {
        for (const [hash] of sorted) this.hashes.set(hash, true)
      },
    }
  }

  forget(): void {
    this.hashes.forget()
  }
}
