import { ofMasterchain } from './rows/of-masterchain.ts'

/**
 * SQL: the common table expression `finished`, partitions in which nothing is still to be indexed: what lies
 * before the newest masterchain block and in the range that ends with it, or before that range if nothing
 * earlier is to be indexed. `tables`: the partitioned ones, text[].
 */
export const finishedPartitions = (tables: string): string => `
  extent as (
    select case when h.from_seqno <= greatest(s.first_seqno, s.retained_from) then 0
      else first.batch_start_lt end as from_lt, newest.batch_start_lt as to_lt
    from (select * from indexed_ranges order by from_seqno desc limit 1) h
    left join ingest_status s on true
    join blocks first on ${ofMasterchain('first')} and first.seqno = h.from_seqno
    join blocks newest on ${ofMasterchain('newest')} and newest.seqno = h.to_seqno
  ), finished as (
    select c.oid, c.oid::regclass::text as name, root.relname::text as parent, b.from_lt, b.to_lt
    from pg_inherits i join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
    join pg_class root on root.oid = i.inhparent
    cross join lateral (
      select m[1]::int8 as from_lt, m[2]::int8 as to_lt from regexp_match(
        pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''(\\d+)''\\) TO \\(''(\\d+)''\\)') m
    ) b
    join extent e on b.from_lt >= e.from_lt and b.to_lt <= e.to_lt
    where i.inhparent = any (${tables}::regclass[])
  )`
