/** Rows of one table in PostgreSQL's binary COPY format, without header and trailer. */
export interface EncodedRows {
  readonly rows: number
  readonly bytes: Uint8Array<ArrayBuffer>
}
