import { DETAIL_KEYS } from './detail-keys.ts'

/**
 * Details as they are stored: an array of a layout and of values. The layout is the JSON text without what
 * need not be repeated in every row:
 *
 *     object = "{" { key value } "}"          key = one character of `CODES`
 *     array = "[" { value } "]"
 *     value = object | array | "-" null | "!" false | "+" true | "." the next value of the array
 *           | "0" ... "9" address of that element of `account_ids`
 *
 * Details with a field that has no code, and rows from before there were layouts, are stored as the object
 * itself. `analytics.action_details` reads both in SQL.
 */
export type StoredDetails = PackedDetails | Details
/** A layout, and the values that it names with `.`, in their order. */
export type PackedDetails = readonly [layout: string, ...values: unknown[]]
/** Details of an action by their names. */
export type Details = Readonly<Record<string, unknown>>

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Behind the letters follow characters of two bytes. */
const AFTER_LETTERS = 0x100 - LETTERS.length
const CODES: ReadonlyMap<string, string> = new Map(
  DETAIL_KEYS.map((key, index) => [key, LETTERS[index] ?? String.fromCharCode(AFTER_LETTERS + index)]),
)
const KEYS: ReadonlyMap<string, string> = new Map([...CODES].map(([key, code]) => [code, key]))
/** Elements of `account_ids` that a layout can name. */
const NAMED_ACCOUNTS = 10

/** As text; bigints become decimal strings. `accounts`: raw addresses in the order of `account_ids`. */
export function packDetails(details: Details, accounts: readonly string[]): string {
  const packed: Packing = ['']
  return JSON.stringify(writeObject(packed, details, accounts) ? packed : plain(details))
}

type Packing = [layout: string, ...values: unknown[]]

function writeValue(into: Packing, value: unknown, accounts: readonly string[]): void {
  if (value == null) into[0] += '-'
  else if (value === false) into[0] += '!'
  else if (value === true) into[0] += '+'
  else if (Array.isArray(value)) {
    into[0] += '['
    for (const item of value) writeValue(into, item, accounts)
    into[0] += ']'
  } else if (typeof value === 'object') {
    if (!writeObject(into, value as Details, accounts)) writeNext(into, plain(value))
  } else {
    const account = typeof value === 'string' ? accounts.indexOf(value) : -1
    if (account >= 0 && account < NAMED_ACCOUNTS) into[0] += account
    else writeNext(into, plain(value))
  }
}

function writeNext(into: Packing, value: unknown): void {
  into[0] += '.'
  into.push(value)
}

/** False, with nothing written: a field has no code. */
function writeObject(into: Packing, object: Details, accounts: readonly string[]): boolean {
  const keys = Object.keys(object)
  if (!keys.every((key) => CODES.has(key))) return false
  into[0] += '{'
  for (const key of keys) {
    if (object[key] === undefined) continue
    into[0] += CODES.get(key)!
    writeValue(into, object[key], accounts)
  }
  into[0] += '}'
  return true
}

/** Converts bigints to decimal strings. Several times faster than `JSON.stringify` with a replacer. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  const copy: Record<string, unknown> = {}
  for (const key in value) copy[key] = plain((value as Record<string, unknown>)[key])
  return copy
}

/** Whether stored details are in the packed form. */
export const isPacked = (stored: StoredDetails): stored is PackedDetails => Array.isArray(stored)

/** The object, its fields in the same order. `addressOf`: raw address of an element of `account_ids`. */
export function unpackDetails(stored: StoredDetails, addressOf: (index: number) => string): Details {
  return isPacked(stored) ? (new Unpacking(stored, addressOf).value() as Details) : stored
}

class Unpacking {
  private at = 0
  private next = 1

  constructor(
    private readonly packed: PackedDetails,
    private readonly addressOf: (index: number) => string,
  ) {}

  value(): unknown {
    const sign = this.packed[0][this.at++]!
    switch (sign) {
      case '{':
        return this.object()
      case '[':
        return this.array()
      case '-':
        return null
      case '!':
        return false
      case '+':
        return true
      case '.':
        return this.packed[this.next++]
    }
    return this.addressOf(Number(sign))
  }

  private object(): Details {
    const object: Record<string, unknown> = {}
    while (!this.ends('}')) {
      const code = this.packed[0][this.at++]!
      const key = KEYS.get(code)
      if (key === undefined) throw new Error(`details have a field of a later version: ${code}`)
      object[key] = this.value()
    }
    return object
  }

  private array(): unknown[] {
    const items: unknown[] = []
    while (!this.ends(']')) items.push(this.value())
    return items
  }

  private ends(sign: string): boolean {
    const isEnd = this.packed[0][this.at] === sign
    if (isEnd) this.at++
    return isEnd
  }
}

/**
 * In SQL: what `analytics.action_details` returns for `stored` and the addresses of `account_ids`. One
 * expression per character of the layout, because PL/pgSQL takes as long for a statement as for its work.
 */
export const UNPACK_IN_SQL = `returns json language plpgsql immutable strict parallel safe as $$
        declare
          -- Neither -> nor ->> can read behind U+0000.
          parts json[];
          layout text;
          code int;
          before int := 123;
          made text := '';
          next int := 1;
        begin
          if json_typeof(stored) = 'object' then return stored; end if;
          parts := array(select json_array_elements(stored));
          layout := parts[1] #>> '{}';
          for i in 1 .. length(layout) loop
            code := ascii(substr(layout, i, 1));
            made := made || case
              -- A key: the first one of its object, or behind a comma.
              when code between 97 and 122 or code between 65 and 90 or code > 255 then
                case before when 123 then '"' else ',"' end
                || ('{${DETAIL_KEYS.join(',')}}'::text[])[code - case
                  when code > 255 then ${AFTER_LETTERS - 1} when code > 96 then 96 else 38 end] || '":'
              when code in (93, 125) then chr(code)
              -- A value, in arrays behind a comma.
              else case when before < 65 or before in (93, 125) then ',' else '' end || case code
                when 46 then parts[next + 1]::text
                when 45 then 'null' when 33 then 'false' when 43 then 'true'
                when 91 then '[' when 123 then '{'
                else '"' || addresses[code - 47] || '"' end
              end;
            if code = 46 then next := next + 1; end if;
            before := code;
          end loop;
          return made;
        end $$`
