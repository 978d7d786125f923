import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { COPY_HEADER } from '../rows/copy-buffer.ts'

/**
 * Reads a query in PostgreSQL's binary COPY format, which is faster for many values because numbers and bytes
 * are not converted to text. COPY takes no parameters, so `query` contains literals. Source: PostgreSQL
 * manual, COPY, "Binary Format".
 */
export async function copyOut(client: pg.ClientBase, query: string): Promise<CopyReader> {
  const stream = client.query(copyTo(`copy (${query}) to stdout (format binary)`))
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return new CopyReader(Buffer.concat(parts))
}

/** Reads the fields in the order of the query's columns. Byte strings are views of one buffer. */
export class CopyReader {
  private at = COPY_HEADER.length

  constructor(private readonly bytes: Buffer) {}

  /** Moves to the next row; false after the last one. */
  nextRow(): boolean {
    const fields = this.bytes.readInt16BE(this.at)
    this.at += 2
    return fields >= 0
  }

  bytea(): Buffer {
    return this.byteaOrNull()!
  }

  byteaOrNull(): Buffer | null {
    const length = this.length()
    if (length < 0) return null
    const start = this.at
    this.at += length
    return this.bytes.subarray(start, this.at)
  }

  int8(): bigint {
    return this.int8OrNull()!
  }

  int8OrNull(): bigint | null {
    if (this.length() < 0) return null
    const value = this.bytes.readBigInt64BE(this.at)
    this.at += 8
    return value
  }

  int4(): number {
    return this.int4OrNull()!
  }

  int4OrNull(): number | null {
    if (this.length() < 0) return null
    const value = this.bytes.readInt32BE(this.at)
    this.at += 4
    return value
  }

  int2(): number {
    this.at += 4
    const value = this.bytes.readInt16BE(this.at)
    this.at += 2
    return value
  }

  boolOrNull(): boolean | null {
    if (this.length() < 0) return null
    return this.bytes[this.at++] === 1
  }

  /** The binary form of jsonb is a version byte followed by the text. */
  jsonbOrNull<T>(): T | null {
    const field = this.byteaOrNull()
    return field && (JSON.parse(field.toString('utf8', 1)) as T)
  }

  private length(): number {
    const length = this.bytes.readInt32BE(this.at)
    this.at += 4
    return length
  }
}

/** Literals for `copyOut`. */
export const byteaArray = (values: readonly Buffer[]): string =>
  `'{${values.map((value) => `"\\\\x${value.toString('hex')}"`).join(',')}}'::bytea[]`
/** Literal of an `int8[]`, as `byteaArray`. */
export const int8Array = (values: readonly bigint[]): string => `'{${values.join(',')}}'::bigint[]`
