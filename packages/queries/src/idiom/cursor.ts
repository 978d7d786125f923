import { WrongCursor } from './errors.ts'

/** Encoding of a column in a cursor: an integer, checked to fit the column when it is decoded. */
export interface CursorColumn<T> {
  toNumber(value: T): bigint | number
  fromNumber(value: bigint): T
}

/** 32 bits, signed. */
export const int4: CursorColumn<number> = {
  toNumber: (value) => value,
  fromNumber: (value) => Number(BigInt.asIntN(32, value)),
}
/** 64 bits, signed. */
export const int8: CursorColumn<bigint> = {
  toNumber: (value) => value,
  fromNumber: (value) => BigInt.asIntN(64, value),
}
/** 32 bytes. */
export const hash256: CursorColumn<Buffer> = {
  toNumber: (value) => BigInt(`0x${value.toString('hex')}`),
  fromNumber: (value) => Buffer.from(BigInt.asUintN(256, value).toString(16).padStart(64, '0'), 'hex'),
}

/**
 * Position at which a list continues: the ordering columns of the last row, and the name of list and order,
 * so that a cursor is rejected by any other list or order. Opaque to clients: base64url of
 * `<list>-<order>~<value>~...`.
 */
export class Cursor<Position extends object> {
  private readonly columns: readonly [keyof Position, CursorColumn<unknown>][]

  /** `columns`: in the order of their values in the cursor. */
  constructor(
    private readonly list: string,
    columns: { readonly [Column in keyof Position]: CursorColumn<Position[Column]> },
  ) {
    this.columns = Object.entries(columns) as never
  }

  encode(order: string, position: Position): string {
    return encodeCursor(
      `${this.list}-${order}`,
      this.columns.map(([name, column]) => column.toNumber(position[name])),
    )
  }

  /** Throws `WrongCursor`. */
  decode(order: string, text: string): Position {
    const name = `${this.list}-${order}`
    const values = decodeCursor(text, name, this.columns.length)
    return Object.fromEntries(
      this.columns.map(([key, column], index) => [key, column.fromNumber(numberIn(values[index]!, name))]),
    ) as Position
  }
}

/** The text of a cursor. `order`: name of list and order; `values`: without `~`. */
export function encodeCursor(order: string, values: readonly (string | bigint | number)[]): string {
  return Buffer.from([order, ...values].join('~')).toString('base64url')
}

/** Values of a cursor for this order. Throws `WrongCursor` for any other text. */
export function decodeCursor(text: string, order: string, count: number): readonly string[] {
  const [name, ...values] = Buffer.from(text, 'base64url').toString('latin1').split('~')
  if (name !== order || values.length !== count) throw new WrongCursor(order)
  return values
}

/** A value that is an integer. Throws `WrongCursor`. */
export function numberIn(value: string, order: string): bigint {
  if (!/^-?\d{1,80}$/.test(value)) throw new WrongCursor(order)
  return BigInt(value)
}
