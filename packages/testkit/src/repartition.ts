import type pg from 'pg'

/** Moves the rows of transactions and messages into so many partitions of equal width. */
export async function repartition(pool: pg.Pool, partitions: number): Promise<void> {
  for (const table of ['transactions', 'messages']) await repartitionTable(pool, table, partitions)
  await pool.query('vacuum analyze')
}

async function repartitionTable(pool: pg.Pool, table: string, partitions: number): Promise<void> {
  const old = `${table}_before`
  await pool.query(`create table ${old} as select * from ${table}`)
  await pool.query(`do $$ declare one regclass; begin
    for one in select inhrelid::regclass from pg_inherits where inhparent = '${table}'::regclass loop
      execute format('drop table %s', one);
    end loop; end $$`)
  await pool.query(`
    select create_lt_partition('${table}', first + i * width, first + (i + 1) * width)
    from (select min(lt) as first, (max(lt) - min(lt)) / ${partitions} + 1 as width from ${old}) lts,
      generate_series(0, ${partitions - 1}) i`)
  await pool.query(`insert into ${table} select * from ${old}`)
  await pool.query(`drop table ${old}`)
}
