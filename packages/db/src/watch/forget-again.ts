import type { McBlockSeqno } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type { PieceId } from '@shardwalk/traces'
import type pg from 'pg'
import { IN_SEQNOS } from '../writing/ranges.ts'
import { isWatching } from './apply.ts'
import { forgetTraces, gatherMembers } from './forget.ts'

/** Remembers for `forgetAgain` what could not be read before the range is deleted. */
export async function noteUnread(client: pg.ClientBase, { from, to }: SeqnoRange): Promise<void> {
  await client.query(
    `create temporary table unread on commit drop as
     select mc_seqno, kind, seqno, lt from quarantine where mc_seqno between $1 and $2`,
    [from, to],
  )
}

/**
 * Call after blocks were written again: forgets what had been forgotten of them before. Traces that reach
 * other blocks could not be decided again, because their transactions there no longer exist. What was
 * stored, or in quarantine, is in the tables `gone` and `unread`; blocks that lack what is watched now are
 * left whole.
 */
export async function forgetAgain(client: pg.ClientBase, seqnos: readonly McBlockSeqno[]): Promise<void> {
  if (!(await isWatching(client))) return
  const { rows } = await client.query<{ root: PieceId }>(
    `select distinct root_of_piece(piece) as root from (
       select t.piece from transactions t where ${IN_SEQNOS} group by t.piece
       having bool_and(
         not exists (select from gone g where g.account_id = t.account_id and g.lt = t.lt)
         and not exists (select from unread u where u.mc_seqno = t.mc_block_seqno
           and (u.kind = 'block' and u.seqno = t.block_seqno or u.kind = 'transaction' and u.lt = t.lt))
         and not exists (select from partial_ranges p
           where t.mc_block_seqno between p.from_seqno and p.to_seqno))) forgotten`,
    [seqnos],
  )
  const roots = rows.map(({ root }) => root)
  if (roots.length === 0) return
  await gatherMembers(client, roots)
  await forgetTraces(client, roots)
}
