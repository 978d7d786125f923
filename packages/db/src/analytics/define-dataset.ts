import type { ComputedValue, RowBatch } from './row-batch.ts'

/**
 * Types of exported columns: 32 and 64-bit integers, bool, text, bytes, time in milliseconds (UTC), integers
 * of at most 20 or 38 digits, and TON with nine decimals, whose expression gives nanotons. `text` of bytes is
 * base64, of 64 bits and more decimal.
 */
export type ExportType = 'i32' | 'i64' | 'bool' | 'str' | 'bin' | 'ts' | 'd20' | 'd38' | 'ton'

/** What the program computes from a source of the dataset; nothing: null. */
export interface Derived {
  readonly source: string
  /** Part of the source that `read` gets; default: all of it. Columns of the same function share it. */
  readonly part?: (value: never) => unknown
  readonly read: (value: never) => ComputedValue | undefined
}

/** `expression`: SQL over the tables of `from`. The comment is for `_schema.json`. */
export type ExportColumn = readonly [type: ExportType, expression: string | Derived, comment: string]

/** What columns are computed from: read and parsed once per row, only if one of them is asked for. */
export interface Source {
  readonly expression: string
  /** Undefined: all columns of it are null. */
  readonly parse: (rows: RowBatch, row: number, field: number) => unknown
}

/** A source of type `bytea`. */
export const fromBytes =
  (parse: (bytes: Buffer) => unknown): Source['parse'] =>
  (rows, row, field) => {
    const bytes = rows.bytea(row, field)
    return bytes === null ? undefined : parse(bytes)
  }

/** A source of type `text`. */
export const fromText =
  (parse: (text: string) => unknown): Source['parse'] =>
  (rows, row, field) => {
    const text = rows.text(row, field)
    return text === null ? undefined : parse(text)
  }

/** Filters by name, each with the columns of which one has to match: ids of accounts, or texts. */
export type FilterName = 'account' | 'jetton' | 'type'

/** How rows of a snapshot are read in parts: along indexes that have the order of their keys. */
export interface Walk {
  /** Which rows; default: all. */
  readonly condition?: string
  /** Integers, never null, in the order of the dataset. */
  readonly key: readonly string[]
  /** Indexes on what the key begins with. Each row has its place in one of them. */
  readonly indexes: readonly { readonly table: string; readonly columns: readonly string[] }[]
}

/** Rows for files. Rows of a range belong to masterchain blocks; a snapshot is of the last indexed one. */
export interface Dataset {
  readonly name: string
  readonly comment: string
  readonly kind: 'range' | 'snapshot'
  readonly columns: Readonly<Record<string, ExportColumn>>
  /** Written only if asked for: whole bags of cells. */
  readonly bocs?: Readonly<Record<string, ExportColumn>>
  readonly sources?: Readonly<Record<string, Source>>
  readonly filters?: Partial<Readonly<Record<FilterName, readonly string[]>>>
  readonly from: string
  /** Columns with the masterchain seqno and with an lt that lies in the range of the batch. */
  readonly position?: { readonly seqno: string; readonly lt: string }
  /** A total order. */
  readonly order: string
  /** Of a snapshot, one after another. */
  readonly walks?: readonly Walk[]
  /** Rows are final only when contracts are examined, or also traces classified. */
  readonly dependsOn?: 'contracts' | 'actions'
}

/** Sets an amount that does not fit its type to null; a second column has it as text. */
export const fitting = (expression: string, digits: number): string =>
  `case when ${expression} >= 0 and ${expression} < 1e${digits} then ${expression} end`

/** The bytes of PostgreSQL's text of a `bytea`. */
export const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')
