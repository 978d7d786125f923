import type { ClientBase, Pool } from 'pg'
import { copied, makeFunctions, type Step } from '../../apps/api/bench/replicate.ts'
import { inTransaction } from '../../packages/db/src/writing/transaction.ts'
import { type BaseRows, putRows } from './base-rows.ts'

/** Which rows of the base are not in every copy. */
const ONCE: Readonly<Record<string, string>> = {
  accounts: 'not copies.is_hot(s.id)',
  latest_account_states: 'not copies.is_hot(s.account_id)',
}
export const COPIED_TABLES = [
  'accounts',
  'latest_account_states',
  'blocks',
  'transactions',
  'messages',
  'traces',
  'trace_pieces',
  'actions',
]
/** Copies in a period of activity, which is as long as a partition. */
const COPIES_OF_A_PERIOD = 20n

interface Base {
  readonly step: Step
  /** lt of a period. */
  readonly width: bigint
  /** Of each table. */
  readonly columns: ReadonlyMap<string, readonly string[]>
}

/**
 * Lets the database grow while it is used: copies of the recorded chain with later times, other hashes and,
 * except for busy ones, other accounts, behind everything that the network will ever have. They are in no
 * queue and not in the progress of ingest.
 */
export class Growth {
  private copies = 0
  /** Added so far. */
  transactions = 0

  private constructor(
    private readonly pool: Pool,
    private readonly base: Base,
  ) {}

  /** `rows`: of `COPIED_TABLES`. */
  static async open(pool: Pool, rows: BaseRows): Promise<Growth> {
    await putRows(pool, rows)
    const base = await inTransaction(pool, async (client) => {
      await client.query('set local search_path = base, public')
      await makeFunctions(client)
      return readBase(client)
    })
    return new Growth(pool, base)
  }

  async add(): Promise<void> {
    const copy = this.copies + 1
    const { width, step } = this.base
    const period = (step.lt * BigInt(copy)) / width
    await this.makePartitions(period)
    await this.pool.query(
      `update accounts set activity = merge_activity(activity, ${activityOf(period)})
       where copies.is_hot(id) and activity <> merge_activity(activity, ${activityOf(period)})`,
    )
    const transactions = await inTransaction(this.pool, async (client) => {
      let found = 0
      for (const table of COPIED_TABLES) {
        const { rowCount } = await client.query(this.copyOf(table, copy, activityOf(period)))
        if (table === 'transactions') found = rowCount ?? 0
      }
      await client.query(listsOfAccounts(copy, step))
      return found
    })
    this.copies = copy
    this.transactions += transactions
  }

  private async makePartitions(period: bigint): Promise<void> {
    const from = period * this.base.width
    for (const table of ['transactions', 'messages']) {
      const { rows } = await this.pool.query<{ is_made: boolean }>(
        'select to_regclass($1) is not null as is_made',
        [`${table}_lt_${from}`],
      )
      if (!rows[0]?.is_made)
        await this.pool.query('select create_lt_partition($1, $2, $3)', [table, from, from + this.base.width])
    }
  }

  private copyOf(table: string, copy: number, activity: string): string {
    const names = this.base.columns.get(table)!
    const value = (name: string) => (name === 'activity' ? activity : copied(name, this.base.step))
    return `
      insert into ${table} (${names.join(', ')}) select ${names.map(value).join(', ')}
      from base.${table} s cross join (values (${copy})) c(copy) where ${ONCE[table] ?? 'true'}`
  }
}

const activityOf = (period: bigint): string =>
  `encode_activity(int4multirange(int4range(${period}, ${period + 1n})))`

/** Rows of `action_accounts` for the actions of a copy. */
function listsOfAccounts(copy: number, step: Step): string {
  const names = ['trace_end_lt', 'trace_end_utime']
  return `
    insert into action_accounts (account_id, ${names.join(', ')}, trace_bytes, action_bytes)
    select copies.account(u.id, c.copy), ${names.map((name) => copied(name, step)).join(', ')},
      substr(copies.hash(s.trace_id, c.copy), 1, 7),
      string_agg(substr(copies.hash(s.action_id, c.copy), 1, 7), ''::bytea order by s.end_lt)
    from base.actions s cross join (values (${copy})) c(copy)
    cross join lateral (select distinct unnest(account_ids_in(s.account_ids)) as id) u
    group by u.id, c.copy, s.trace_id, ${names.join(', ')}`
}

async function readBase(client: ClientBase): Promise<Base> {
  const { rows: extents } = await client.query<{ seconds: number; seqnos: number; width: bigint }>(
    `select max(gen_utime) - min(gen_utime) + 3 as seconds, activity_width() as width,
       greatest(max(seqno), max(mc_block_seqno)) as seqnos
     from base.blocks`,
  )
  const { rows } = await client.query<{ table: string; names: string[] }>(
    `select table_name as table, array_agg(column_name::text order by ordinal_position) as names
     from information_schema.columns
     where table_schema = 'public' and is_generated = 'NEVER' group by 1`,
  )
  const { seconds, seqnos, width } = extents[0]!
  return {
    step: { lt: width / COPIES_OF_A_PERIOD, seconds, seqnos },
    width,
    columns: new Map(rows.map(({ table, names }) => [table, names])),
  }
}
