import { type Kysely, sql } from 'kysely'

/**
 * The shards as of a masterchain block are a column of its row instead of a row each. Offline and in one
 * transaction, about a minute per million masterchain blocks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table blocks add column shard_tops bigint[]`.execute(db)
  await sql`
    update blocks b set shard_tops = array(
      select v.number from shard_state s cross join lateral (
        values (1, (s.workchain::int8 << 32) | s.seqno), (2, s.shard)) v(place, number)
      where s.mc_seqno = b.seqno and s.workchain <> -1 order by s.workchain, s.shard, v.place)
    where b.workchain = -1`.execute(db)
  await sql`drop table shard_state`.execute(db)
}
