import { type Kysely, sql } from 'kysely'

/**
 * Transactions name a piece of a trace instead of the trace, so that they need not be changed when traces are
 * joined. Offline and in one transaction, about a minute per million transactions; the space of the former
 * column is free after `vacuum full`. Tables without rows are made anew, with their columns by width.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run('create table trace_pieces (piece bigint primary key, ancestor bigint not null)')
  const isEmpty = await hasNoPartitions(db)
  for (const statement of isEmpty ? ANEW : FROM_TRACES) await run(statement)
  await run('create index transactions_piece on transactions (piece)')
  await run('create index traces_piece on traces (piece)')
  await run('create index trace_pieces_ancestor on trace_pieces (ancestor)')
  const { rows } = await sql<{ schema: string }>`select quote_ident(current_schema()) as schema`.execute(db)
  for (const statement of functionsIn(rows[0]!.schema)) await run(statement)
}

async function hasNoPartitions(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    select not exists (select from pg_inherits where inhparent = 'transactions'::regclass) as empty
  `.execute(db)
  return rows[0]!.empty
}

/** Bodies name schemas, so that no search_path changes what they mean. */
const functionsIn = (schema: string): readonly string[] => [
  `create function root_of_piece(given bigint) returns bigint
   language plpgsql stable strict parallel safe as $$
   declare
     root bigint := given;
     above bigint;
   begin
     loop
       select p.ancestor into above from ${schema}.trace_pieces p where p.piece = root;
       if above is null then return root; end if;
       root := above;
     end loop;
   end $$`,
  `create function trace_id_of(given bigint) returns bytea
   language plpgsql stable strict parallel safe as $$
   declare
     root bigint := given;
     above bigint;
   begin
     loop
       select p.ancestor into above from ${schema}.trace_pieces p where p.piece = root;
       exit when above is null;
       root := above;
     end loop;
     return (select r.trace_id from ${schema}.traces r where r.piece = root limit 1);
   end $$`,
  // Not in SQL: the planner would put the body in place of the call and expect far too many rows of it.
  `create function pieces_of_trace(root bigint) returns setof bigint
   language plpgsql stable strict parallel safe rows 3 as $$
   begin
     return next root;
     return query with recursive below(piece) as (
       select p.piece from ${schema}.trace_pieces p where p.ancestor = root
       union all select p.piece from below join ${schema}.trace_pieces p on p.ancestor = below.piece
     ) select b.piece from below b;
   end $$`,
]

const BY_TIME = (column: string) =>
  `using brin (to_timestamp(${column}), ((to_timestamp(${column}) at time zone 'UTC')::date)) ` +
  "with (pages_per_range = '32', autosummarize = 'on')"

const ANEW: readonly string[] = [
  'drop table transactions, traces',
  `create table transactions (
    account_id bigint not null,
    lt bigint not null,
    piece bigint not null,
    prev_trans_lt bigint not null,
    total_fees bigint not null,
    in_msg_account_id bigint,
    in_msg_lt bigint,
    balance_after bigint,
    gas_used bigint,
    now integer not null,
    mc_block_seqno integer not null,
    block_seqno integer not null,
    exit_code integer,
    action_result_code integer,
    kind smallint not null,
    orig_status smallint not null,
    end_status smallint not null,
    shard_len smallint not null,
    out_msg_count smallint not null,
    aborted boolean,
    hash bytea not null,
    prev_trans_hash bytea not null,
    state_hash_before bytea not null,
    state_hash_after bytea not null,
    code_hash_after bytea,
    data_hash_after bytea,
    frozen_hash_after bytea,
    description bytea not null,
    total_fees_extra jsonb,
    extra_currencies_after jsonb,
    jetton_balance numeric,
    primary key (account_id, lt)
  ) partition by range (lt)`,
  'create index transactions_hash on transactions using hash (hash) with (fillfactor = 90)',
  'create index transactions_in_msg on transactions (in_msg_lt) where in_msg_account_id is not null',
  'create index transactions_lt on transactions (lt)',
  `create index transactions_time on transactions ${BY_TIME('now')}`,
  `create table traces (
    piece bigint not null,
    start_lt bigint not null,
    end_lt bigint not null,
    mc_seqno_start integer not null,
    mc_seqno_end integer not null,
    start_utime integer not null,
    end_utime integer not null,
    nodes integer not null,
    edges integer not null,
    pending_edges integer not null,
    state smallint not null,
    trace_id bytea not null,
    external_hash bytea,
    external_hash_norm bytea
  ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  'create index traces_end_lt on traces (end_lt) where state = 0',
  'create index traces_end_utime on traces (end_utime) where state = 0',
  'create index traces_long on traces (end_lt) where (state = 0) and (((end_lt - start_lt) > 100000000) or ' +
    '((end_utime - start_utime) > 120))',
  'create index traces_mc_seqno_end on traces (mc_seqno_end) where state = 0',
  `create index traces_time on traces ${BY_TIME('end_utime')}`,
  'create index traces_trace_id on traces using hash (trace_id) with (fillfactor = 90)',
]

/**
 * The transactions of one masterchain block that messages connect are a piece, ranked in the block by lt,
 * then hash of its first transaction. See docs/schema.md, `trace_pieces`, for ancestors.
 */
const FROM_TRACES: readonly string[] = [
  'alter table transactions add column piece bigint',
  'alter table traces add column piece bigint',
  // Each transaction and the sender of its message, which is the account's last transaction before it.
  `create temporary table sent on commit drop as
   select t.account_id, t.lt, t.hash, t.mc_block_seqno as seqno, s.account_id as from_account,
     s.lt as from_lt, s.mc_block_seqno as from_seqno
   from transactions t left join lateral (
     select x.account_id, x.lt, x.mc_block_seqno, x.lt + x.out_msg_count as last_lt from transactions x
     where x.account_id = t.in_msg_account_id and x.lt < t.in_msg_lt and x.lt >= t.in_msg_lt - 32768
     order by x.lt desc limit 1
   ) s on s.last_lt >= t.in_msg_lt`,
  'create index on sent (from_account, from_lt)',
  'analyze sent',
  `create temporary table member on commit drop as
   with recursive member(account_id, lt, seqno, root_lt, root_hash, is_root) as (
     select account_id, lt, seqno, lt, hash, true from sent where from_seqno is distinct from seqno
     union all
     select s.account_id, s.lt, s.seqno, m.root_lt, m.root_hash, false from member m
     join sent s on s.from_account = m.account_id and s.from_lt = m.lt and s.from_seqno = s.seqno
   )
   select account_id, lt, is_root,
     (seqno::bigint << 32) + dense_rank() over (partition by seqno order by root_lt, root_hash) - 1 as piece
   from member`,
  'create unique index on member (account_id, lt)',
  'analyze member',
  `update transactions t set piece = m.piece from member m
   where m.account_id = t.account_id and m.lt = t.lt`,
  `update traces r set piece = m.piece from sent s
   join member m on m.account_id = s.account_id and m.lt = s.lt
   where s.hash = r.trace_id`,
  `create temporary table parent on commit drop as
   select m.piece, p.piece as parent from sent s
   join member m on m.account_id = s.account_id and m.lt = s.lt and m.is_root
   join member p on p.account_id = s.from_account and p.lt = s.from_lt`,
  'create unique index on parent (piece)',
  'analyze parent',
  // Groups of masterchain blocks are three bits of the seqno wide.
  `create function pg_temp.level_of(a bigint, b bigint) returns int language sql immutable as
   $$ select (length(ltrim(((a >> 32)::int # (b >> 32)::int)::bit(32)::text, '0')) + 2) / 3 $$`,
  `insert into trace_pieces (piece, ancestor)
   with recursive climb(piece, level, at, steps) as (
     select piece, pg_temp.level_of(piece, parent), parent, 0 from parent
     union all
     select c.piece, c.level, p.parent, c.steps + 1 from climb c join parent p on p.piece = c.at
     where pg_temp.level_of(p.parent, c.piece) <= c.level
   )
   select distinct on (piece) piece, at from climb order by piece, steps desc`,
  'drop function pg_temp.level_of(bigint, bigint)',
  'alter table transactions alter column piece set not null',
  'alter table transactions drop column trace_id',
  'alter table traces alter column piece set not null',
]
