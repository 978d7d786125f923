import type { Db } from '@shardwalk/db'
import { type AccountId, type BlockId, MASTERCHAIN, shardToSigned } from '@shardwalk/model'
import { sql } from 'kysely'

/** Larger states are not worth rebuilding. Bytes of code and data. */
const MAX_BYTES = 256 * 1024

const isSmall = sql<boolean>`
  coalesce(octet_length(c.boc), 0) + coalesce(octet_length(coalesce(d.boc, r.boc)), 0) <= ${MAX_BYTES}`
const COLUMNS = [
  's.lt',
  's.balance',
  's.status',
  's.timestamp',
  's.state_hash',
  's.last_trans_hash',
  's.frozen_hash',
  's.extra_currencies',
  's.code_hash',
  's.data_hash',
  't.out_msg_count',
  'c.boc as code',
] as const

/**
 * The state of an account after a masterchain block, with its code and data. Undefined unless the index has
 * that block, everything between it and the account's last transaction, and all parts of the state.
 * Index: primary keys; quarantine_missing.
 */
export async function findWholeState(db: Db, account: AccountId, mcBlock: BlockId) {
  const row = await statesWithParts(db)
    .innerJoin('indexed_ranges as i', (join) => join.onRef('i.from_seqno', '<=', 's.mc_seqno'))
    .where('s.account_id', '=', account)
    .where('s.mc_seqno', '<=', mcBlock.seqno)
    .where('i.to_seqno', '>=', mcBlock.seqno)
    .where(({ exists }) => exists(blockOf(db, mcBlock)))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('quarantine as q')
            .select('q.seqno')
            .where('q.kind', '<>', 'version')
            .whereRef('q.mc_seqno', '>=', 's.mc_seqno')
            .where('q.mc_seqno', '<=', mcBlock.seqno),
        ),
      ),
    )
    .where(isSmall)
    .select(COLUMNS)
    .select(({ fn }) => [fn.coalesce('d.boc', 'r.boc').as('data')])
    .executeTakeFirst()
  const isWhole = row && (!row.code_hash || row.code) && (!row.data_hash || row.data)
  return isWhole ? row : undefined
}

/** Latest states with their transaction, their code and, from either table, their data. */
const statesWithParts = (db: Db) =>
  db
    .selectFrom('latest_account_states as s')
    .innerJoin('transactions as t', (join) =>
      join.onRef('t.account_id', '=', 's.account_id').onRef('t.lt', '=', 's.lt'),
    )
    .leftJoin('codes as c', 'c.code_hash', 's.code_hash')
    .leftJoin('account_data as d', (join) =>
      join.onRef('d.account_id', '=', 's.account_id').onRef('d.data_hash', '=', 's.data_hash'),
    )
    .leftJoin('contract_data as r', (join) =>
      join.onRef('r.account_id', '=', 's.account_id').onRef('r.data_hash', '=', 's.data_hash'),
    )

/** The masterchain block itself, not another with its seqno. */
const blockOf = (db: Db, { shard, seqno, rootHash }: BlockId) =>
  db
    .selectFrom('blocks as b')
    .select('b.seqno')
    .where('b.workchain', '=', MASTERCHAIN)
    .where('b.shard', '=', shardToSigned(shard))
    .where('b.seqno', '=', seqno)
    .where('b.root_hash', '=', rootHash)
