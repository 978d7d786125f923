import type { Db } from '../database.ts'
import { joinInitState } from '../rows/init-state.ts'

/**
 * The same rows with whole state-inits: the code that `messages.init_state` leaves out is put back from `codes`. One statement for all rows,
 * none when nothing is missing. Index: primary key of codes.
 */
export async function withWholeInitStates<
  Row extends { readonly init_state: Buffer | null; readonly init_code_hash: Buffer | null },
>(db: Db, rows: readonly Row[]): Promise<Row[]> {
  const hashes = new Map(rows.flatMap(({ init_code_hash: hash }) => (hash ? [[hash.toString('hex'), hash]] : [])))
  const codes = await findCodes(db, [...hashes.values()])
  return rows.map((row) => {
    const code = row.init_code_hash && codes.get(row.init_code_hash.toString('hex'))
    return row.init_state && code
      ? { ...row, init_state: joinInitState(row.init_state, code), init_code_hash: null }
      : row
  })
}

/** Bags of cells by code hash in hex; codes that are not in the table are absent. */
async function findCodes(db: Db, hashes: readonly Buffer[]): Promise<ReadonlyMap<string, Buffer>> {
  if (hashes.length === 0) return new Map()
  const rows = await db.selectFrom('codes').selectAll().where('code_hash', 'in', hashes).execute()
  return new Map(rows.map(({ code_hash, boc }) => [code_hash.toString('hex'), boc]))
}
