import type { Database } from '../tables/index.ts'

/** Columns in the order in which the encoders write them; a table's own order need not be the same. */
const columnsOf = <T extends keyof Database>(_table: T, columns: readonly (keyof Database[T] & string)[]) =>
  columns

export const BLOCK_COLUMNS = columnsOf('blocks', [
  'workchain',
  'shard',
  'seqno',
  'mc_block_seqno',
  'root_hash',
  'file_hash',
  'global_id',
  'version',
  'flags',
  'vert_seqno',
  'after_merge',
  'before_split',
  'after_split',
  'want_merge',
  'want_split',
  'key_block',
  'vert_seqno_incr',
  'gen_utime',
  'start_lt',
  'end_lt',
  'validator_list_hash_short',
  'gen_catchain_seqno',
  'min_ref_mc_seqno',
  'prev_key_block_seqno',
  'master_ref_seqno',
  'rand_seed',
  'created_by',
  'tx_count',
  'prev_seqno',
  'prev_seqno_2',
  'batch_start_lt',
  'batch_end_lt',
  'batch_max_utime',
])

export const SHARD_STATE_COLUMNS = columnsOf('shard_state', ['mc_seqno', 'workchain', 'shard', 'seqno'])

export const TRANSACTION_COLUMNS = columnsOf('transactions', [
  'account_id',
  'lt',
  'prev_trans_lt',
  'total_fees',
  'in_msg_account_id',
  'in_msg_lt',
  'balance_after',
  'gas_used',
  'now',
  'mc_block_seqno',
  'block_seqno',
  'exit_code',
  'action_result_code',
  'kind',
  'orig_status',
  'end_status',
  'shard_len',
  'out_msg_count',
  'aborted',
  'hash',
  'trace_id',
  'prev_trans_hash',
  'state_hash_before',
  'state_hash_after',
  'code_hash_after',
  'data_hash_after',
  'frozen_hash_after',
  'description',
  'total_fees_extra',
  'extra_currencies_after',
])

export const MESSAGE_COLUMNS = columnsOf('messages', [
  'account_id',
  'lt',
  'destination_id',
  'value',
  'fwd_fee',
  'ihr_fee',
  'import_fee',
  'body_hash8',
  'created_at',
  'opcode',
  'kind',
  'flags',
  'hash',
  'hash_norm',
  'body',
  'init_state',
  'init_code_hash',
  'external_destination',
  'value_extra',
  'extra_flags',
])

export const LATEST_STATE_COLUMNS = columnsOf('latest_account_states', [
  'account_id',
  'lt',
  'balance',
  'mc_seqno',
  'timestamp',
  'status',
  'state_hash',
  'last_trans_hash',
  'code_hash',
  'data_hash',
  'frozen_hash',
  'extra_currencies',
])

export const CODE_COLUMNS = columnsOf('codes', ['code_hash', 'boc'])
export const ACCOUNT_DATA_COLUMNS = columnsOf('account_data', ['account_id', 'lt', 'data_hash', 'boc'])
export const STATE_PART_COLUMNS = columnsOf('state_parts', ['account_id', 'lt', 'mc_seqno', 'boc'])
export const HIDDEN_CURRENCIES_COLUMNS = columnsOf('hidden_currencies', [
  'account_id',
  'lt',
  'mc_seqno',
  'hash',
  'part',
])
export const TRACE_COLUMNS = columnsOf('traces', [
  'trace_id',
  'external_hash',
  'external_hash_norm',
  'mc_seqno_start',
  'mc_seqno_end',
  'start_lt',
  'end_lt',
  'start_utime',
  'end_utime',
  'nodes',
  'edges',
  'pending_edges',
  'state',
])

export const ACTION_COLUMNS = columnsOf('actions', [
  'trace_id',
  'action_id',
  'type',
  'success',
  'start_lt',
  'end_lt',
  'start_utime',
  'end_utime',
  'trace_end_lt',
  'trace_end_utime',
  'trace_mc_seqno_end',
  'classifier_version',
  'parent_action_id',
  'ancestor_type',
  'tx_hashes',
  'account_ids',
  'details',
])

export const ACTION_ACCOUNT_COLUMNS = columnsOf('action_accounts', [
  'account_id',
  'trace_end_lt',
  'trace_id',
  'end_lt',
  'action_id',
  'trace_end_utime',
  'end_utime',
])

export const ACCOUNT_COLUMNS = columnsOf('accounts', ['id', 'workchain', 'address'])
