import type pg from 'pg'

/**
 * Moves the rows of transactions and messages into so many partitions of equal width from lt 0 on, where the
 * recorded chain begins, and makes periods of activity as long as they are.
 */
export async function repartition(pool: pg.Pool, partitions: number): Promise<void> {
  const { rows } = await pool.query<{ width: bigint }>(
    `select max(lt) / ${partitions} + 1 as width
     from (select lt from transactions union all select lt from messages) lts`,
  )
  const { width } = rows[0]!
  for (const table of ['transactions', 'messages']) await repartitionTable(pool, table, width)
  await pool.query(
    `create or replace function activity_width() returns bigint language sql immutable parallel safe as
     'select ${width}::bigint'`,
  )
  await pool.query(ACTIVITY_FROM_ROWS)
  await pool.query('vacuum analyze transactions, messages, accounts')
}

/** Activity of all accounts as the rows of the tables have it. */
export const ACTIVITY_FROM_ROWS = `
  update accounts a set activity = encode_activity(x.periods) from (
    select id, range_agg(int4range(period, period + 1)) as periods from (
      select account_id as id, (lt / activity_width())::int as period from transactions
      union select account_id, (lt / activity_width())::int from messages
      union select destination_id, (lt / activity_width())::int from messages where destination_id is not null
    ) named group by id
  ) x where x.id = a.id`

async function repartitionTable(pool: pg.Pool, table: string, width: bigint): Promise<void> {
  const old = `${table}_before`
  await pool.query(`create table ${old} as select * from ${table}`)
  await pool.query(`do $$ declare one regclass; begin
    for one in select inhrelid::regclass from pg_inherits where inhparent = '${table}'::regclass loop
      execute format('drop table %s', one);
    end loop; end $$`)
  const { rows } = await pool.query<{ from: bigint }>(
    `select i * $1::int8 as from from generate_series((select min(lt) from ${old}) / $1,
       (select max(lt) from ${old}) / $1) i`,
    [width],
  )
  for (const { from } of rows)
    await pool.query('select create_lt_partition($1, $2, $3)', [table, from, from + width])
  await pool.query(`insert into ${table} select * from ${old} order by lt`)
  await pool.query(`drop table ${old}`)
}
