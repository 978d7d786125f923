import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { KEEP_PLAN, type Statement } from '../idiom/index.ts'
import { type Filtered, type Place, placeOf, selectPlaces } from './places.ts'

/** Subquery: the row of the table with a hash, which is given as an expression. */
export type HashSearch = (hash: string) => RawBuilder<unknown>

/** A place, in a row of its own beside those that are sought: null in these. */
export interface PlaceColumns {
  readonly place_key: Buffer | null
  readonly place_from: bigint | null
  readonly place_to: bigint | null
}

const PLACE_TYPES = { place_key: 'bytea', place_from: 'int8', place_to: 'int8' } as const
const NO_PLACE = sql`null::bytea as place_key, null::int8 as place_from, null::int8 as place_to`

/** Types of the columns of a statement of `withHashes`. */
export const hashTypes = <Types extends object>(types: Types) => ({ ...types, ...PLACE_TYPES }) as const

/** How rows are read by hash. */
export interface HashLookUp<Row> {
  readonly table: Filtered
  /** Columns of `hashTypes`. */
  readonly statement: Statement<Row & PlaceColumns>
  /** Select for some of the hashes, with `search` for each; the first one is for all. */
  readonly select: (hashes: readonly Buffer[], search: HashSearch, isFirst: boolean) => RawBuilder<unknown>
}

/** Runs a select of the look-up. */
export async function readByHash<Row extends object>(
  db: Db,
  by: HashLookUp<Row>,
  select: RawBuilder<unknown>,
): Promise<readonly Row[]> {
  const rows = await by.statement.rows(db, sql`${KEEP_PLAN} select f.*, ${NO_PLACE} from (${select}) f`)
  return rows.map(withoutPlace)
}

/** What a first select found, and places of the hashes that it did not find. */
interface Beginning<Row> {
  readonly rows: readonly Row[]
  /** Newest first. */
  readonly places: readonly Place[]
}

/**
 * The same, and the places before the lt `below` of the hashes that are not found: a statement of their own
 * would take as long as this one.
 */
export async function readOrPlace<Row extends object>(
  db: Db,
  by: HashLookUp<Row>,
  {
    select,
    hashes,
    below,
  }: { readonly select: RawBuilder<unknown>; readonly hashes: readonly Buffer[]; readonly below: bigint },
): Promise<Beginning<Row>> {
  const columns = Object.entries(by.statement.types).filter(([name]) => !(name in PLACE_TYPES))
  const found = await by.statement.rows(
    db,
    sql`
    ${KEEP_PLAN} with found as materialized (${select}), missing as materialized (
      select h from unnest(${hashes}::bytea[]) h where not exists (select from found f where f.hash = h)
    )
    select ${sql.raw(columns.map(([name]) => `f.${name}`).join(', '))}, ${NO_PLACE} from found f
    union all
    select ${sql.raw(columns.map(([, type]) => `null::${type}`).join(', '))}, p.key, p.from_lt, p.to_lt
    from (${selectPlaces(by.table, sql`(select h from missing)`, below)}) p
    where exists (select from missing)`,
  )
  const isPlace = ({ place_from }: PlaceColumns) => place_from !== null
  return {
    rows: found.filter((row) => !isPlace(row)).map(withoutPlace),
    places: found.filter(isPlace).map(toPlace).sort(newestFirst),
  }
}

function withoutPlace<Row extends object>(row: Row & PlaceColumns): Row {
  const { place_key, place_from, place_to, ...own } = row
  return own as unknown as Row
}

const toPlace = ({ place_key, place_from, place_to }: PlaceColumns): Place =>
  placeOf({ key: place_key, from_lt: place_from!, to_lt: place_to! })

const newestFirst = (a: Place, b: Place): number => (a.from > b.from ? -1 : a.from < b.from ? 1 : 0)
