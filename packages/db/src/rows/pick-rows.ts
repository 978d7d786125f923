import type { AccountId, Lt } from '@shardwalk/model'
import type { EncodedRows } from './encoded-rows.ts'

/** One row of encoded rows, still encoded. */
export interface RowSpan {
  /** The row itself. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Value of one of the first fields, none of which may be null. */
  field(nth: number): Buffer
}

/** Iterates over the rows. Source: PostgreSQL manual, COPY, "Binary Format". */
export function* rowsIn({ rows, bytes }: EncodedRows): Generator<RowSpan> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  for (let row = 0; row < rows; row++) {
    const start = at
    const fields = view.getInt16(at)
    at += 2
    for (let field = 0; field < fields; field++) at += 4 + Math.max(0, view.getInt32(at))
    yield span(bytes.subarray(start, at))
  }
}

function span(bytes: Uint8Array<ArrayBuffer>): RowSpan {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    bytes,
    field(nth) {
      let at = 2
      for (let field = 0; field < nth; field++) at += 4 + view.getInt32(at)
      return Buffer.from(bytes.buffer, bytes.byteOffset + at + 4, view.getInt32(at))
    },
  }
}

/** Joins rows to encoded rows again. */
export function pack(spans: readonly RowSpan[]): EncodedRows {
  const bytes = new Uint8Array(spans.reduce((sum, row) => sum + row.bytes.length, 0))
  let at = 0
  for (const row of spans) {
    bytes.set(row.bytes, at)
    at += row.bytes.length
  }
  return { rows: spans.length, bytes }
}

/** The newest row of each account, for rows that begin with account_id and lt. */
export function newestOfAccounts(parts: readonly EncodedRows[]): EncodedRows {
  const newest = new Map<AccountId, { readonly lt: Lt; readonly row: RowSpan }>()
  for (const part of parts)
    for (const row of rowsIn(part)) {
      const [account, lt] = [row.field(0).readBigInt64BE(), row.field(1).readBigInt64BE()]
      const known = newest.get(account)
      if (!known || known.lt < lt) newest.set(account, { lt, row })
    }
  return pack([...newest.values()].map(({ row }) => row))
}
