/**
 * The chain. Columns stand by width (8, 4, 2, 1 bytes, then variable), so that no row carries alignment
 * padding. No foreign keys: one trusted writer inserts whole batches, and a check per row would cost a
 * descent of an index each.
 *
 * No index on times: blocks turn a period into a range of lt, and rows are sorted by lt anyway. Hash indexes
 * on hashes store 4 bytes of the value instead of 33. `body_hash8` has a tree, because bodies repeat (two in
 * five messages have none) and a tree stores a repeated key once: 15 bytes a message instead of 47.
 */
export const CHAIN: readonly string[] = [
  `create table accounts (
    id bigint primary key,
    workchain integer not null,
    address bytea not null
  )`,

  `create table blocks (
    shard bigint not null,
    start_lt bigint not null,
    end_lt bigint not null,
    batch_start_lt bigint,
    batch_end_lt bigint,
    workchain integer not null,
    seqno integer not null,
    mc_block_seqno integer not null,
    global_id integer not null,
    version integer not null,
    flags integer not null,
    vert_seqno integer not null,
    gen_utime integer not null,
    validator_list_hash_short integer not null,
    gen_catchain_seqno integer not null,
    min_ref_mc_seqno integer not null,
    prev_key_block_seqno integer not null,
    master_ref_seqno integer not null,
    tx_count integer not null,
    prev_seqno integer not null,
    prev_seqno_2 integer,
    batch_max_utime integer,
    after_merge boolean not null,
    before_split boolean not null,
    after_split boolean not null,
    want_merge boolean not null,
    want_split boolean not null,
    key_block boolean not null,
    vert_seqno_incr boolean not null,
    root_hash bytea not null,
    file_hash bytea not null,
    rand_seed bytea not null,
    created_by bytea not null,
    primary key (workchain, shard, seqno)
  )`,
  'create index blocks_file_hash on blocks using hash (file_hash)',
  'create index blocks_gen_utime on blocks (gen_utime)',
  'create index blocks_mc_block_seqno on blocks (mc_block_seqno)',
  'create index blocks_root_hash on blocks using hash (root_hash)',
  'create index blocks_start_lt on blocks (start_lt)',

  `create table shard_state (
    shard bigint not null,
    mc_seqno integer not null,
    workchain integer not null,
    seqno integer not null,
    primary key (mc_seqno, workchain, shard)
  )`,

  `create table transactions (
    account_id bigint not null,
    lt bigint not null,
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
    trace_id bytea,
    code_hash_after bytea,
    data_hash_after bytea,
    frozen_hash_after bytea,
    description bytea not null,
    total_fees_extra jsonb,
    extra_currencies_after jsonb,
    primary key (account_id, lt)
  ) partition by range (lt)`,
  'create index transactions_hash on transactions using hash (hash) with (fillfactor = 90)',
  'create index transactions_in_msg on transactions (in_msg_lt) where in_msg_account_id is not null',
  'create index transactions_lt on transactions (lt)',
  'create index transactions_trace_id on transactions using hash (trace_id) with (fillfactor = 90)',

  `create table messages (
    account_id bigint not null,
    lt bigint not null,
    destination_id bigint,
    value bigint,
    fwd_fee bigint,
    ihr_fee bigint,
    import_fee bigint,
    body_hash8 bigint not null,
    created_at integer,
    opcode integer,
    kind smallint not null,
    flags smallint not null,
    hash bytea not null,
    hash_norm bytea,
    body bytea,
    init_state bytea,
    init_code_hash bytea,
    external_destination bytea,
    value_extra jsonb,
    extra_flags numeric,
    primary key (account_id, lt)
  ) partition by range (lt)`,
  'create index messages_body_hash8 on messages (body_hash8)',
  'create index messages_destination on messages (destination_id, lt)',
  'create index messages_external_in on messages (hash) where kind = 1',
  'create index messages_external_in_account on messages (account_id, hash) where kind = 1',
  // Finds out whether any external-in message has a body that is very frequent otherwise, above all the empty
  // one.
  'create index messages_external_in_body on messages (body_hash8) where kind = 1',
  // Without it, an opcode that is rare among them would require a scan of all external-in messages. 5 bytes
  // per transaction.
  'create index messages_external_in_opcode on messages (opcode, hash) where kind = 1 and opcode is not null',
  'create index messages_hash on messages using hash (hash) with (fillfactor = 90)',
  'create index messages_hash_norm on messages using hash (hash_norm)',
  'create index messages_lt on messages (lt) where kind <> 1',
  'create index messages_opcode on messages (opcode, lt) where opcode is not null',

  // Free space for an updated row next to the old one: no indexed column changes, so no index is touched
  // (HOT).
  `create table latest_account_states (
    account_id bigint primary key,
    lt bigint not null,
    balance bigint not null,
    mc_seqno integer not null,
    timestamp integer not null,
    status smallint not null,
    state_hash bytea not null,
    last_trans_hash bytea not null,
    code_hash bytea,
    data_hash bytea,
    frozen_hash bytea,
    extra_currencies jsonb,
    balance_rank smallint
      generated always as ((length(balance::text) * 100 + left(balance::text, 2)::int4)::int2) stored
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.03)`,
  // The rank is the number of digits and the two leading ones, which most updates leave unchanged. An index
  // on the balance itself, even a partial one, would make every update write to all indexes; without it nine
  // of ten updates are in place, which saves 14 bytes per transaction.
  'create index latest_account_states_balance_rank on latest_account_states (balance_rank)',
  // A tree stores a repeated code hash once: 11 bytes per account instead of 60 in a hash index.
  'create index latest_account_states_code on latest_account_states (code_hash) where code_hash is not null',

  `create table codes (
    code_hash bytea primary key,
    boc bytea not null
  )`,

  `create table account_data (
    account_id bigint primary key,
    lt bigint not null,
    data_hash bytea not null,
    boc bytea not null
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.03)`,

  `create table state_parts (
    account_id bigint not null,
    lt bigint not null,
    mc_seqno integer not null,
    boc bytea not null,
    primary key (account_id, lt)
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,

  `create table hidden_currencies (
    account_id bigint not null,
    lt bigint not null,
    mc_seqno integer not null,
    hash bytea not null,
    part bytea,
    before jsonb,
    tries integer,
    not_before timestamptz,
    primary key (account_id, lt)
  )`,
  `create index hidden_currencies_due on hidden_currencies (coalesce(not_before, '-infinity'), account_id,
    lt)`,
]
