import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Those of the codes (hashes) that are stored while their get-methods are not. Index: primary keys. */
export async function loadCodesWithoutMethods(
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly { readonly codeHash: Buffer; readonly code: Buffer }[]> {
  const { rows } = await sql<{ codeHash: Buffer; code: Buffer }>`
    select c.code_hash as "codeHash", c.boc as code from codes c
    where c.code_hash = any (${hashes}::bytea[])
      and not exists (select from contract_methods m where m.code_hash = c.code_hash)
    order by c.code_hash`.execute(db)
  return rows
}

/** Stores the ids of the get-methods of a code (hash); does nothing if they are stored. */
export async function storeMethods(
  db: Db,
  { codeHash, methods }: { readonly codeHash: Buffer; readonly methods: readonly number[] },
): Promise<void> {
  await sql`
    insert into contract_methods (code_hash, methods) values (${codeHash}, ${methods}::int[])
    on conflict (code_hash) do nothing`.execute(db)
}
