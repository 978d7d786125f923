import { methodId } from '@shardwalk/contracts'
import { DEFAULT_PARTITION_WIDTH } from '@shardwalk/db'
import { ACTIVITY_FROM_ROWS } from '@shardwalk/testkit'
import pg from 'pg'

/** Hot accounts keep their id in every copy: this many of the busiest ones, and all masterchain accounts. */
const HOT_ACCOUNTS = 20
/** Copies per statement. */
const AT_ONCE = 50
/** Copies that share the logical time of a partition, so that large numbers of transactions fill several. */
const COPIES_OF_A_PARTITION = 140n

/** Columns by how a copy changes them. All others stay unchanged. */
const KIND: Readonly<Record<string, string>> = kinds({
  lt: 'lt prev_trans_lt in_msg_lt start_lt end_lt batch_start_lt batch_end_lt trace_end_lt',
  seconds: 'now gen_utime created_at batch_max_utime start_utime end_utime trace_end_utime timestamp',
  seqnos: `seqno mc_seqno mc_block_seqno block_seqno prev_seqno prev_seqno_2 master_ref_seqno
    mc_seqno_start mc_seqno_end
    trace_mc_seqno_end`,
  hash: `hash prev_trans_hash root_hash file_hash hash_norm trace_id external_hash external_hash_norm
    action_id parent_action_id
    message_hash last_trans_hash`,
  hashes: 'tx_hashes',
  piece: 'piece ancestor',
  account: 'account_id id in_msg_account_id destination_id external_account_id',
  accounts: 'account_ids',
  address: 'address',
  balance: 'balance',
  tops: 'shard_tops',
})

function kinds(names: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(names).flatMap(([kind, list]) =>
    list.split(/\s+/).map((name) => [name, kind]),
  )
  return Object.fromEntries(entries)
}

/** Rows of the chain are repeated in every copy; states have one row per account. */
const CHAIN = ['blocks', 'transactions', 'messages', 'traces', 'trace_pieces', 'actions']
const STATES = ['accounts', 'latest_account_states']

/**
 * Repeats the recorded chain with later times and logical times, other hashes and, except for a few busy
 * ones, other accounts. The rows are written by PostgreSQL itself, and indexes are created last; ten million
 * transactions take 15 minutes. Token tables are generated from these transactions (`inventTokens`). `dense`:
 * the copies follow each other without a gap in logical time, as blocks do. `partitions`: the copies are
 * spread over this many.
 */
export async function replicate(
  url: string,
  copies: number,
  progress: (text: string) => void = () => {},
  { dense = false, partitions }: { readonly dense?: boolean; readonly partitions?: number } = {},
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const spread = partitions
      ? (DEFAULT_PARTITION_WIDTH * BigInt(partitions)) / BigInt(copies + 1)
      : DEFAULT_PARTITION_WIDTH / COPIES_OF_A_PARTITION
    const step = await measureStep(client, dense ? 0n : spread)
    await makePartitions(client, step.lt * BigInt(copies + 1))
    await makeFunctions(client)
    const restore = await dropIndexes(client, [...CHAIN, ...STATES, 'action_accounts'])
    for (const table of [...STATES, ...CHAIN]) {
      await copyTable(client, table, step, copies)
      progress(`${table}: rows`)
    }
    await client.query(`
      truncate action_accounts;
      insert into action_accounts (account_id, trace_end_lt, trace_end_utime, trace_bytes, action_bytes)
      select i, a.trace_end_lt, a.trace_end_utime, substr(a.trace_id, 1, 7),
        string_agg(substr(a.action_id, 1, 7), ''::bytea order by a.end_lt, a.action_id)
      from actions a cross join lateral (select distinct unnest(account_ids_in(a.account_ids))) u(i)
      group by 1, 2, 3, 4`)
    await client.query(ACTIVITY_FROM_ROWS)
    await client.query('update indexed_ranges set to_seqno = to_seqno + $1', [step.seqnos * copies])
    for (const statement of restore) {
      await client.query(statement)
      progress(statement.slice(0, 80))
    }
    await inventTokens(client)
    progress('tokens')
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

/** By what each copy is later than the one before it. */
export interface Step {
  readonly lt: bigint
  readonly seconds: number
  readonly seqnos: number
}

/** `spread`: lt between the beginnings of copies, if that is more than a copy takes. */
async function measureStep(client: pg.Client, spread: bigint): Promise<Step> {
  const { rows } = await client.query(
    `select max(end_lt) as lt, max(gen_utime) - min(gen_utime) + 3 as seconds, max(seqno) as seqnos
      from blocks`,
  )
  const { lt, seconds, seqnos } = rows[0] as { lt: string; seconds: number; seqnos: number }
  const least = (BigInt(lt) / 1_000_000n + 2n) * 1_000_000n
  return { lt: spread < least ? least : spread, seconds, seqnos }
}

async function makePartitions(client: pg.Client, end: bigint): Promise<void> {
  for (const table of ['transactions', 'messages'])
    for (let from = DEFAULT_PARTITION_WIDTH; from < end; from += DEFAULT_PARTITION_WIDTH)
      await client.query(
        `create table ${table}_lt_${from} partition of ${table} for values
          from (${from}) to (${from + DEFAULT_PARTITION_WIDTH})`,
      )
}

/** An account in a copy keeps its workchain and the 8 bits after it, and thereby its shard. */
export async function makeFunctions(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ account_id: string }>(
    `select account_id from transactions group by 1 order by count(*) desc, 1 limit ${HOT_ACCOUNTS}`,
  )
  const hot = rows.map((row) => row.account_id).join(',')
  await client.query(`
    create schema copies;
    create function copies.is_hot(id int8) returns bool immutable language sql
      as 'select id < 0 or id in (${hot})';
    create function copies.account(id int8, copy int4) returns int8 immutable language sql as
      'select case when id < 0 or id in (${hot}) then id
        else id # (hashint8extended(copy, 0) & 36028797018963967) end';
    create function copies.address(old bytea, id int8, copy int4) returns bytea immutable language sql as
      'select case when id < 0 or id in (${hot}) then old
        else int8send(((copies.account(id, copy) & 4611686018427387903) << 1) | (case when copies.account(id,
          copy) >= 4611686018427387904 then (-9223372036854775807 - 1) else 0 end))
          || substring(old from 9) end';
    create function copies.hash(old bytea, copy int4) returns bytea immutable language sql as
      'select sha256(old || int4send(copy))'`)
}

/** Drops the indexes of the tables and returns the statements that recreate them, primary keys first. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<string[]> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'p' and conrelid::regclass::text = any($1)`,
    [tables],
  )
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = 'public' and tablename = any($1) and indexname <> all($2)`,
    [tables, keys.map((key) => key.name)],
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`)
  return [
    ...keys.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
    ...indexes.map(({ definition }) => definition.replace(' ON ONLY ', ' ON ')),
  ]
}

async function copyTable(client: pg.Client, table: string, step: Step, copies: number): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'
     order by ordinal_position`,
    [table],
  )
  const names = rows.map((row) => row.name)
  await client.query(`create temp table sample as select * from ${table}`)
  const once = STATES.includes(table)
    ? `where not copies.is_hot(s.${names.includes('id') ? 'id' : 'account_id'})`
    : ''
  const order = names.includes('lt') ? ', s.lt' : names.includes('end_lt') ? ', s.end_lt' : ''
  for (let first = 1; first <= copies; first += AT_ONCE)
    await client.query(`
      insert into ${table} (${names.join(', ')})
      select ${names.map((name) => copied(name, step)).join(', ')}
      from sample s cross join generate_series(${first}, ${Math.min(copies, first + AT_ONCE - 1)})
        as c(copy) ${once}
      order by c.copy${order}`)
  await client.query('drop table sample')
}

/** The value of a column in a copy: of the row `s` and the number `c.copy`. */
export function copied(name: string, step: Step): string {
  switch (KIND[name]) {
    case 'lt':
      // Zero means that there was none before.
      return `case when s.${name} > 0 then s.${name} + c.copy * ${step.lt}::int8 else s.${name} end`
    case 'seconds':
      return `s.${name} + c.copy * ${step.seconds}`
    case 'seqnos':
      return `s.${name} + c.copy * ${step.seqnos}`
    case 'piece':
      // The upper half is a seqno. Ancestors may not be those of an indexed chain, but lead to the root.
      return `s.${name} + ((c.copy * ${step.seqnos})::int8 << 32)`
    case 'hash':
      return `copies.hash(s.${name}, c.copy)`
    case 'hashes':
      // Behind the byte that stands for the trace.
      return `(substr(s.${name}, 1, length(s.${name}) % 32) || coalesce(
        (select string_agg(copies.hash(substr(s.${name}, i, 32), c.copy), ''::bytea order by i)
          from generate_series(1 + length(s.${name}) % 32, length(s.${name}), 32) i), ''))`
    case 'account':
      return `copies.account(s.${name}, c.copy)`
    case 'accounts':
      return `(select string_agg(int8send(copies.account(i, c.copy)), ''::bytea order by n)
        from unnest(account_ids_in(s.${name})) with ordinality u(i, n))`
    case 'address':
      return `copies.address(s.${name}, s.id, c.copy)`
    case 'tops':
      // Numbers in odd places have a seqno in their lower half.
      return `(select array_agg(top + (n % 2) * c.copy * ${step.seqnos} order by n)
        from unnest(s.${name}) with ordinality u(top, n))`
    case 'balance':
      return `s.${name} + c.copy * 1234567`
    default:
      return `s.${name}`
  }
}

/**
 * One received message in four transfers a jetton, one in fifty an NFT; one account in four is a wallet of
 * one of 50 jettons.
 */
async function inventTokens(client: pg.Client): Promise<void> {
  await client.query(`
    create table copies.jettons as select row_number() over () - 1 as n, id
      from (select id from accounts order by id limit 50) x;
    insert into jetton_masters (account_id, lt, mintable, total_supply, wallet_code_hash)
      select id, 1, true, 1000000000, '\\x00' from copies.jettons;
    insert into jetton_wallets (account_id, lt, owner_id, jetton_id, balance)
      select a.id, 1, a.id, j.id, abs(hashint8extended(a.id, 1)) % 1000000000
      from accounts a join copies.jettons j on j.n = abs(hashint8extended(a.id, 0)) % 200;
    insert into nft_collections (account_id, lt, next_item_index) select id, 1, 1000000 from copies.jettons;
    insert into nft_items (account_id, lt, collection_id, owner_id, real_owner_id, init, item_index)
      select a.id, (row_number() over ())::int8, j.id, a.id, a.id, true, row_number() over ()
      from accounts a join copies.jettons j on j.n = abs(hashint8extended(a.id, 2)) % 200;
    insert into jetton_transfers (account_id, lt, source_id, destination_id, jetton_id, amount,
      forward_amount, now, aborted, confirmed, query_id)
      select t.account_id, t.lt, t.in_msg_account_id, t.account_id, j.id, 1000, 1, t.now, false, true, 0
      from transactions t join copies.jettons j on j.n = abs(hashint8extended(t.lt # t.account_id, 0)) % 200
      where t.in_msg_account_id is not null;
    insert into nft_transfers (account_id, lt, old_owner_id, new_owner_id, collection_id, forward_amount, now,
      aborted, confirmed, query_id)
      select t.account_id, t.lt, t.in_msg_account_id, t.account_id, j.id, 1, t.now, false, true, 0
      from transactions t join copies.jettons j on j.n = abs(hashint8extended(t.lt # t.account_id, 3)) % 2500
      where t.in_msg_account_id is not null`)
  await inventInterfaces(client)
}

const TOKEN_METHODS = ['get_jetton_data', 'get_wallet_address']
const COLLECTION_METHODS = ['get_collection_data', 'get_nft_address_by_index', 'get_nft_content']

/** By which pages tell what an account is: every invented jetton is a collection, too. */
async function inventInterfaces(client: pg.Client): Promise<void> {
  const contracts = [
    { methods: [...TOKEN_METHODS, ...COLLECTION_METHODS], accounts: 'select id from copies.jettons' },
    {
      methods: ['get_nft_data'],
      accounts: `select account_id from nft_items where account_id not in (select id from copies.jettons)
        order by item_index limit 1000`,
    },
  ]
  for (const [index, { methods, accounts }] of contracts.entries()) {
    const hash = Buffer.alloc(32, index + 1)
    await client.query('insert into contract_methods (code_hash, methods) values ($1, $2)', [
      hash,
      methods.map(methodId),
    ])
    await client.query(`update latest_account_states set code_hash = $1 where account_id in (${accounts})`, [
      hash,
    ])
  }
}
