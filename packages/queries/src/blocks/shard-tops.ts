import { type RawBuilder, sql } from 'kysely'

/**
 * Newest blocks of all shards as of the masterchain block `m`, that block included: workchain, shard, seqno.
 * For a lateral join with a row that has these columns and `shard_tops`; written so that the planner expects
 * few rows of it.
 */
export const SHARD_TOPS: RawBuilder<unknown> = sql.raw(`(
      select (u.top >> 32)::int4 as workchain, m.shard_tops[u.n + 1] as shard,
        ((u.top << 32) >> 32)::int4 as seqno
      from unnest(m.shard_tops) with ordinality u(top, n) where u.n % 2 = 1
      union all select m.workchain, m.shard, m.seqno)`)
