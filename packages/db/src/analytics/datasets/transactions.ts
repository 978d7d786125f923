import {
  ACCOUNT_STATUS,
  NO_ACCOUNT_HASH,
  NO_TRANSACTION_HASH,
  TRANSACTION_KIND,
  type TransactionDescription,
} from '@shardwalk/model'
import { unpackDescription } from '@shardwalk/tlb'
import {
  type Dataset,
  type Derived,
  type ExportColumn,
  type ExportType,
  fromBytes,
} from '../define-dataset.ts'
import { account, address, hash, joinedTrace, joinedTraceId, nameOf } from '../expressions.ts'
import { blockTime, SEQNO } from './columns.ts'

type Description = TransactionDescription
type Shown = bigint | number | boolean | string | Buffer | undefined

const shown = (value: Shown) => (Buffer.isBuffer(value) ? value.toString('base64') : value)

/** Fields of one part of the description, which is stored packed. */
const fieldsOf =
  <Part>(part: (d: Description) => Part | undefined) =>
  (type: ExportType, read: (part: Part) => Shown, comment: string): ExportColumn => {
    const derived: Derived = { source: 'description', part, read: (found: Part) => shown(read(found)) }
    return [type, derived, comment]
  }

const whole = fieldsOf((d) => d)
const storage = fieldsOf((d) => d.storagePhase)
const credit = fieldsOf((d) => d.creditPhase)
const compute = fieldsOf((d) => d.computePhase)
/** The compute phase, if it was not skipped. */
const run = fieldsOf(({ computePhase }) => (computePhase && !computePhase.skipped ? computePhase : undefined))
const action = fieldsOf((d) => d.actionPhase)
const bounce = fieldsOf((d) => d.bouncePhase)
const bounced = fieldsOf(({ bouncePhase }) => (bouncePhase?.type === 'ok' ? bouncePhase : undefined))
const bouncedSize = fieldsOf(({ bouncePhase }) =>
  bouncePhase && bouncePhase.type !== 'negfunds' ? bouncePhase.msgSize : undefined,
)
const lack = fieldsOf(({ bouncePhase }) => (bouncePhase?.type === 'nofunds' ? bouncePhase : undefined))
const split = fieldsOf((d) => d.splitInfo)

const PHASES: Dataset['columns'] = {
  destroyed: whole('bool', (d) => d.destroyed, 'The account was deleted.'),
  credit_first: whole('bool', (d) => d.creditFirst, 'The value was credited before storage fees were taken.'),
  is_tock: whole('bool', (d) => d.isTock, 'It is a tock, else a tick.'),
  installed: whole('bool', (d) => d.installed, 'The split is complete.'),
  storage_fees_collected: storage('i64', (d) => d.storageFeesCollected, 'Nanotons.'),
  storage_fees_due: storage('i64', (d) => d.storageFeesDue, 'Nanotons.'),
  storage_status_change: storage('str', (d) => d.statusChange, 'unchanged, frozen or deleted.'),
  credit_due_fees_collected: credit('i64', (d) => d.dueFeesCollected, 'Nanotons.'),
  credit: credit('i64', (d) => d.credit, 'Value credited, nanotons.'),
  compute_skipped: compute('bool', (d) => d.skipped, 'No code ran.'),
  skipped_reason: compute(
    'str',
    (d) => (d.skipped ? d.reason : undefined),
    'no_state, bad_state, no_gas or suspended.',
  ),
  compute_success: run('bool', (d) => d.success, 'The code ran to its end.'),
  compute_msg_state_used: run('bool', (d) => d.msgStateUsed, 'Code and data of the message ran.'),
  compute_account_activated: run('bool', (d) => d.accountActivated, 'The account became active.'),
  compute_gas_fees: run('i64', (d) => d.gasFees, 'Nanotons.'),
  compute_gas_used: run('i64', (d) => d.gasUsed, 'Gas used.'),
  compute_gas_limit: run('i64', (d) => d.gasLimit, 'Gas limit.'),
  compute_gas_credit: run('i64', (d) => d.gasCredit, 'Gas before the message is accepted.'),
  compute_mode: run('i32', (d) => d.mode, 'Mode.'),
  compute_exit_code: run('i32', (d) => d.exitCode, 'Exit code; null: skipped.'),
  compute_exit_arg: run('i32', (d) => d.exitArg, 'Argument of the exception.'),
  compute_vm_steps: run('i64', (d) => d.vmSteps, 'Instructions executed.'),
  compute_vm_init_state_hash: run('str', (d) => d.vmInitStateHash, 'Usually zeros.'),
  compute_vm_final_state_hash: run('str', (d) => d.vmFinalStateHash, 'Usually zeros.'),
  action_success: action('bool', (d) => d.success, 'All actions were carried out.'),
  action_valid: action('bool', (d) => d.valid, 'The list of actions is well-formed.'),
  action_no_funds: action('bool', (d) => d.noFunds, 'The balance was too small.'),
  action_status_change: action('str', (d) => d.statusChange, 'unchanged, frozen or deleted.'),
  action_total_fwd_fees: action('i64', (d) => d.totalFwdFees, 'Nanotons.'),
  action_total_action_fees: action('i64', (d) => d.totalActionFees, 'Nanotons.'),
  action_result_code: action('i32', (d) => d.resultCode, 'Result; null: there was no such phase.'),
  action_result_arg: action('i32', (d) => d.resultArg, 'Index of the action that failed.'),
  action_tot_actions: action('i32', (d) => d.totActions, 'Actions.'),
  action_spec_actions: action('i32', (d) => d.specActions, 'Actions that reserve or set code.'),
  action_skipped_actions: action('i32', (d) => d.skippedActions, 'Actions that were skipped.'),
  action_msgs_created: action('i32', (d) => d.msgsCreated, 'Messages.'),
  action_action_list_hash: action('str', (d) => d.actionListHash, 'Hash of the list of actions.'),
  action_tot_msg_size_cells: action('i64', (d) => d.totMsgSize.cells, 'Size of all messages.'),
  action_tot_msg_size_bits: action('i64', (d) => d.totMsgSize.bits, 'Size of all messages.'),
  bounce: bounce('str', (d) => d.type, 'negfunds, nofunds or ok; null: nothing bounced.'),
  bounce_msg_size_cells: bouncedSize('i64', (d) => d.cells, 'Size of the bounced message.'),
  bounce_msg_size_bits: bouncedSize('i64', (d) => d.bits, 'Size of the bounced message.'),
  bounce_req_fwd_fees: lack('i64', (d) => d.reqFwdFees, 'Fees that were lacking, nanotons.'),
  bounce_msg_fees: bounced('i64', (d) => d.msgFees, 'Nanotons.'),
  bounce_fwd_fees: bounced('i64', (d) => d.fwdFees, 'Nanotons.'),
  split_info_cur_shard_pfx_len: split('i32', (d) => d.curShardPfxLen, 'Bits.'),
  split_info_acc_split_depth: split('i32', (d) => d.accSplitDepth, 'Bits.'),
  split_info_this_addr: split('str', (d) => hexOf(d.thisAddr), 'This half, hex.'),
  split_info_sibling_addr: split('str', (d) => hexOf(d.siblingAddr), 'The other half, hex.'),
}

const hexOf = (value: Buffer): string => value.toString('hex').toUpperCase()

const STATE = 'null unless it is the last of the account in its block.'
/** The state before is that after the account's previous transaction, if a block shows it. */
const BEFORE = `left join lateral (
    select p.balance_after, p.code_hash_after, p.hash, p.state_hash_after from transactions p
    where p.account_id = t.account_id and p.lt = t.prev_trans_lt
      and p.state_hash_after = coalesce(t.state_hash_before, p.state_hash_after)
  ) p on true`
/** In the same piece, which the hashes are left to. */
const IS_LINKED = 't.prev_trans_hash is null and t.prev_trans_lt > 0'
const PREVIOUS_HASH = `case when ${IS_LINKED} then p.hash
  else coalesce(t.prev_trans_hash, '\\x${NO_TRANSACTION_HASH.toString('hex')}') end`
const HASH_BEFORE = `case when t.state_hash_before is null and ${IS_LINKED} then p.state_hash_after
  else coalesce(t.state_hash_before, '\\x${NO_ACCOUNT_HASH.toString('hex')}') end`

export const TRANSACTIONS: Dataset = {
  name: 'transactions',
  comment: 'Transactions.',
  kind: 'range',
  from: `from transactions t ${account('a', 't.account_id')} ${BEFORE}
  ${joinedTrace('t.piece')}`,
  position: { seqno: 't.mc_block_seqno', lt: 't.lt' },
  order: 't.mc_block_seqno, t.lt, t.account_id',
  filters: { account: ['t.account_id'] },
  sources: {
    description: { expression: 't.description', parse: fromBytes(unpackDescription) },
  },
  columns: {
    block_time: blockTime('t.now'),
    mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
    account: ['str', address('a'), 'The account.'],
    hash: ['str', hash('t.hash'), 'Hash.'],
    lt: ['i64', 't.lt', 'Logical time.'],
    block_workchain: ['i32', 'a.workchain', 'Workchain of its block.'],
    block_shard: [
      'i64',
      // The top bits of the account and the mark behind them.
      `(('x' || encode(substr(a.address, 1, 8), 'hex'))::bit(64)::int8
        & (case when t.shard_len = 0 then 0 else -1::int8 << (64 - t.shard_len) end))
        | (1::int8 << (63 - t.shard_len))`,
      'Shard of its block, signed.',
    ],
    block_seqno: ['i32', 't.block_seqno', 'Number of its block in the shard.'],
    trace_id: ['str', hash(joinedTraceId('t.piece')), 'Hash of the root of its trace.'],
    prev_trans_hash: ['str', hash(PREVIOUS_HASH), 'Transaction of the account before.'],
    prev_trans_lt: ['i64', 't.prev_trans_lt', 'Its logical time; 0: none.'],
    now: ['i32', 't.now', 'Unix seconds.'],
    orig_status: ['str', nameOf(ACCOUNT_STATUS, 't.orig_status'), 'Status before.'],
    end_status: ['str', nameOf(ACCOUNT_STATUS, 't.end_status'), 'Status after.'],
    total_fees: ['i64', 't.total_fees', 'Fees, nanotons.'],
    account_state_hash_before: ['str', hash(HASH_BEFORE), 'Hash of the state before.'],
    account_state_hash_after: ['str', hash('t.state_hash_after'), 'Hash of the state after.'],
    account_state_balance_before: [
      'i64',
      'case when t.prev_trans_lt = 0 then 0 else p.balance_after end',
      'Balance before, nanotons; null: no indexed block shows it.',
    ],
    account_state_balance_after: ['i64', 't.balance_after', `Balance after, nanotons; ${STATE}`],
    account_state_code_hash_before: ['str', hash('p.code_hash_after'), 'Hash of the code before; as above.'],
    account_state_code_hash_after: ['str', hash('t.code_hash_after'), `Hash of the code after; ${STATE}`],
    descr: ['str', nameOf(TRANSACTION_KIND, 't.kind'), 'Kind of the description.'],
    aborted: ['bool', 't.aborted', 'It was aborted.'],
    ...PHASES,
    in_msg_hash: [
      'str',
      `(select ${hash('i.hash')} from messages i
        where i.account_id = coalesce(t.in_msg_account_id, t.account_id) and i.lt = t.in_msg_lt)`,
      'Hash of the message that caused it; null: none.',
    ],
    total_fees_extra_currencies: ['str', 't.total_fees_extra::text', 'JSON; null: none.'],
    out_msg_count: ['i32', 't.out_msg_count', 'Messages that it sent.'],
  },
}
