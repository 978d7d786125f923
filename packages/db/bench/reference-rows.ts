import { ACCOUNT_STATUS, MASTERCHAIN, MESSAGE_KIND, TRANSACTION_KIND } from '@shardwalk/model'
import { FAMILIES } from './reference-schema.ts'

const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')
const nameOf = (names: readonly string[], column: string, type: string): string =>
  `('{${names.join()}}'::text[])[${column} + 1]::reference.${type}`
const status = (column: string): string => nameOf(ACCOUNT_STATUS, column, 'account_status')
const ZERO = "repeat('A', 43) || '='"
/** Of a phase that there was. */
const ran = (value: string): string => `case when t.exit_code is not null then ${value} end`
const acted = (value: string): string => `case when t.action_result_code is not null then ${value} end`
const credited = (value: string): string => `case when t.in_msg_account_id is not null then ${value} end`

const valuesOf = (family: string): string =>
  `(select array_agg(value) from json_each_text(d->'${family}_data'))`

/** The tail of either message row; a stored body is short of the checksum that theirs has. */
const MESSAGE = `case when m.kind <> ${EXTERNAL_IN} then address(m.account_id) end, address(case m.kind
    when ${EXTERNAL_IN} then m.account_id else m.destination_id end), m.value,
  case when m.kind = 0 then coalesce(m.value_extra, '{}') end, m.fwd_fee, m.ihr_fee, m.extra_flags,
  case when m.kind <> ${EXTERNAL_IN} then m.lt end, m.created_at, m.opcode,
  case when m.kind = 0 then m.flags & 1 > 0 end, case when m.kind = 0 then m.flags & 2 > 0 end,
  case when m.kind = 0 then m.flags & 4 > 0 end, m.import_fee, b64(sha256(coalesce(m.body, ''))),
  b64(sha256(m.init_state))`
const MESSAGE_OF = `b64(t.hash), t.lt, t.mc_block_seqno, b64(m.hash), b64(m.hash_norm)`

/**
 * Rows of the reference's tables from ours. Where we do not have a value as a column (phases) or at all (some
 * hashes), one of the same size stands for it.
 */
export const REFERENCE_ROWS: Readonly<Record<string, string>> = {
  blocks: `select workchain, shard, seqno, b64(root_hash), b64(file_hash), ${MASTERCHAIN},
      -9223372036854775808, mc_block_seqno, global_id, version, after_merge, before_split, after_split,
      want_merge, want_split, key_block, vert_seqno_incr, flags, gen_utime, start_lt, end_lt,
      validator_list_hash_short, gen_catchain_seqno, min_ref_mc_seqno, prev_key_block_seqno, vert_seqno,
      master_ref_seqno, b64(rand_seed), b64(created_by), tx_count,
      array[row(workchain, shard, prev_seqno)::reference.blockid]
        || case when prev_seqno_2 is not null then row(workchain, shard, prev_seqno_2)::reference.blockid end
    from public.blocks order by mc_block_seqno`,
  shard_state: `select m.seqno, (m.shard_tops[n] >> 32)::int4, m.shard_tops[n + 1],
      (m.shard_tops[n] & 4294967295)::int4
    from public.blocks m, generate_series(1, cardinality(m.shard_tops), 2) n
    union all select seqno, workchain, shard, seqno from public.blocks where workchain = ${MASTERCHAIN}
    order by 1`,
  transactions: `select address(t.account_id), b64(t.hash), t.lt, (t.account_id >> 63)::int4,
      -9223372036854775808, t.block_seqno, t.mc_block_seqno, b64(trace_id_of(t.piece)),
      b64(t.state_hash_after), t.prev_trans_lt, t.now, ${status('t.orig_status')}, ${status('t.end_status')},
      t.total_fees, coalesce(t.total_fees_extra, '{}'), b64(t.hash), b64(t.state_hash_after),
      ${nameOf(TRANSACTION_KIND, 't.kind', 'descr_type')}, coalesce(t.aborted, false), false, false, false,
      false, 1, null, 'unchanged', null, ${credited('1')}, ${credited("'{}'::jsonb")}, t.exit_code is null,
      case when t.exit_code is null then 'no_state'::reference.skipped_reason end, ${ran('true')},
      ${ran('false')}, ${ran('false')}, ${ran('1')}, t.gas_used, ${ran('1')}, null, ${ran('0::int2')},
      t.exit_code, null, ${ran('1')}, ${ran(ZERO)}, ${ran(ZERO)}, ${acted('true')}, ${acted('true')},
      ${acted('false')}, ${acted("'unchanged'::reference.status_change")},
      case when t.out_msg_count > 0 then 1 end, case when t.out_msg_count > 0 then 1 end,
      t.action_result_code, null, ${acted('1')}, ${acted('1')}, ${acted('1')}, ${acted('1')},
      ${acted('b64(t.hash)')}, ${acted('1')}, ${acted('1')}
    from public.transactions t order by t.mc_block_seqno, t.lt`,
  messages: `select ${MESSAGE_OF}, 'out'::reference.direction, b64(trace_id_of(t.piece)), ${MESSAGE}
    from public.transactions t join public.messages m on m.account_id = t.account_id and m.lt > t.lt
      and m.lt <= t.lt + t.out_msg_count and m.kind <> ${EXTERNAL_IN} and m.flags & 8 = 0
    union all select ${MESSAGE_OF}, 'in', b64(trace_id_of(t.piece)), ${MESSAGE}
    from public.transactions t join public.messages m on m.lt = t.in_msg_lt
      and m.account_id = coalesce(t.in_msg_account_id, t.account_id)
    order by 3, 2`,
  message_contents: `select b64(sha256(boc)), b64(boc || '\\x00000000'::bytea) from (
      select distinct coalesce(body, '') as boc from public.messages
      union select init_state from public.messages where init_state is not null) c`,
  account_states: `select distinct on (t.state_hash_after) b64(t.state_hash_after), address(t.account_id),
      t.balance_after, '{}'::jsonb, ${status('t.end_status')}, b64(t.frozen_hash_after),
      b64(t.data_hash_after), b64(t.code_hash_after)
    from public.transactions t where t.balance_after is not null and t.end_status <> 3`,
  latest_account_states: `select row_number() over (), address(s.account_id), null, b64(s.state_hash),
      s.balance, '{}'::jsonb, ${status('s.status')}, s.timestamp, b64(s.last_trans_hash), s.lt,
      b64(s.frozen_hash), b64(s.data_hash), b64(s.code_hash), b64(d.boc), b64(c.boc)
    from public.latest_account_states s left join public.account_data d using (account_id)
    left join public.codes c using (code_hash)`,
  traces: `select b64(trace_id), b64(external_hash), b64(external_hash_norm), mc_seqno_start, mc_seqno_end,
      start_lt, start_utime, end_lt, end_utime, 'complete'::reference.trace_state, pending_edges, edges, nodes
    from public.traces where state = 0 order by mc_seqno_end`,
  actions: `select b64(a.trace_id), b64(a.action_id), a.start_lt, a.end_lt, a.start_utime, a.end_utime,
      d->>'source', d->>'source_secondary', d->>'destination', d->>'destination_secondary', d->>'asset',
      d->>'asset_secondary', d->>'asset2', d->>'asset2_secondary', (d->>'opcode')::int8,
      array(select b64(substr(covered, i, 32)) from generate_series(1, length(covered), 32) i),
      a.type, (d->>'value')::numeric, (d->>'amount')::numeric,
      case when d->'ton_transfer_data' is not null then row(d->'ton_transfer_data'->>'content',
        (d->'ton_transfer_data'->>'encrypted')::bool)::reference.ton_transfer_details end,
      ${FAMILIES.map(valuesOf).join(', ')},
      a.success, a.trace_end_lt, a.trace_end_utime, b64(r.external_hash), b64(r.external_hash_norm),
      a.trace_mc_seqno_end, a.trace_mc_seqno_end, b64(a.parent_action_id), coalesce(a.ancestor_type, '{}'),
      coalesce(d->'value_extra_currencies', '{}')::jsonb
    from public.actions a join public.traces r using (trace_id)
    cross join lateral public.tx_hashes_of(a.trace_id, a.tx_hashes) covered cross join lateral (
      select analytics.action_details(a.details, array(select analytics.address_text(y.workchain, y.address)
        from unnest(public.account_ids_in(a.account_ids)) with ordinality i(id, n)
        join public.accounts y using (id) order by n)) as d) x
    order by a.trace_mc_seqno_end`,
  action_accounts: `select b64(a.action_id), b64(a.trace_id), address(i), a.trace_end_lt, a.end_lt,
      a.trace_end_utime, a.end_utime
    from public.actions a
    cross join lateral (select distinct unnest(public.account_ids_in(a.account_ids))) u(i)
    order by a.trace_mc_seqno_end`,
}
