import type pg from 'pg'

/** An address as programs and people write it. */
export interface GivenAccount {
  /** `0:` and 64 upper-case hex digits. */
  readonly raw: string
  /** Null: never seen. */
  readonly id: bigint | null
}

/**
 * In the order given, in any form of address. Throws PostgreSQL's error for others, with "not an address:".
 */
export async function findAccounts(
  pool: pg.Pool,
  texts: readonly string[],
): Promise<readonly GivenAccount[]> {
  const { rows } = await pool.query<GivenAccount>(
    `select g.raw, a.id from (
       select analytics.address(text) as raw, at from unnest($1::text[]) with ordinality g (text, at)
     ) g left join accounts a on analytics.address_text(a.workchain, a.address) = g.raw order by g.at`,
    [texts],
  )
  return rows
}
