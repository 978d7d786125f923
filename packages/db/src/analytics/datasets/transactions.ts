import { ACCOUNT_STATUS, TRANSACTION_KIND, type TransactionDescription } from '@shardwalk/model'
import { unpackDescription } from '@shardwalk/tlb'
import { bytesOf, type Dataset, type Derived, type ExportColumn, type ExportType } from '../define-dataset.ts'
import { account, address, hash, nameOf, traceId } from '../expressions.ts'
import { blockTime, SEQNO } from './columns.ts'

type Description = TransactionDescription
type Read = (d: Description) => bigint | number | boolean | string | Buffer | undefined

const shown = (value: ReturnType<Read>) => (Buffer.isBuffer(value) ? value.toString('base64') : value)

/** A field of the phases, which are stored packed. */
const phase = (type: ExportType, read: Read, comment: string): ExportColumn => {
  const derived: Derived = { source: 'description', read: (d: Description) => shown(read(d)) }
  return [type, derived, comment]
}

/** The compute phase, if it was not skipped. */
const run = ({ computePhase }: Description) =>
  computePhase && !computePhase.skipped ? computePhase : undefined
const action = (d: Description) => d.actionPhase
const bounceOf = ({ bouncePhase }: Description) => bouncePhase
const bounced = (d: Description) => {
  const found = bounceOf(d)
  return found?.type === 'ok' ? found : undefined
}
const sizeOf = (d: Description) => {
  const found = bounceOf(d)
  return found && found.type !== 'negfunds' ? found.msgSize : undefined
}
const lack = (d: Description) => {
  const found = bounceOf(d)
  return found?.type === 'nofunds' ? found.reqFwdFees : undefined
}

const PHASES: Dataset['columns'] = {
  destroyed: phase('bool', (d) => d.destroyed, 'The account was deleted.'),
  credit_first: phase('bool', (d) => d.creditFirst, 'The value was credited before storage fees were taken.'),
  is_tock: phase('bool', (d) => d.isTock, 'It is a tock, else a tick.'),
  installed: phase('bool', (d) => d.installed, 'The split is complete.'),
  storage_fees_collected: phase('i64', (d) => d.storagePhase?.storageFeesCollected, 'Nanotons.'),
  storage_fees_due: phase('i64', (d) => d.storagePhase?.storageFeesDue, 'Nanotons.'),
  storage_status_change: phase('str', (d) => d.storagePhase?.statusChange, 'unchanged, frozen or deleted.'),
  credit_due_fees_collected: phase('i64', (d) => d.creditPhase?.dueFeesCollected, 'Nanotons.'),
  credit: phase('i64', (d) => d.creditPhase?.credit, 'Value credited, nanotons.'),
  compute_skipped: phase('bool', (d) => d.computePhase?.skipped, 'No code ran.'),
  skipped_reason: phase(
    'str',
    ({ computePhase }) => (computePhase?.skipped ? computePhase.reason : undefined),
    'no_state, bad_state, no_gas or suspended.',
  ),
  compute_success: phase('bool', (d) => run(d)?.success, 'The code ran to its end.'),
  compute_msg_state_used: phase('bool', (d) => run(d)?.msgStateUsed, 'Code and data of the message ran.'),
  compute_account_activated: phase('bool', (d) => run(d)?.accountActivated, 'The account became active.'),
  compute_gas_fees: phase('i64', (d) => run(d)?.gasFees, 'Nanotons.'),
  compute_gas_used: phase('i64', (d) => run(d)?.gasUsed, 'Gas used.'),
  compute_gas_limit: phase('i64', (d) => run(d)?.gasLimit, 'Gas limit.'),
  compute_gas_credit: phase('i64', (d) => run(d)?.gasCredit, 'Gas before the message is accepted.'),
  compute_mode: phase('i32', (d) => run(d)?.mode, 'Mode.'),
  compute_exit_code: phase('i32', (d) => run(d)?.exitCode, 'Exit code; null: skipped.'),
  compute_exit_arg: phase('i32', (d) => run(d)?.exitArg, 'Argument of the exception.'),
  compute_vm_steps: phase('i64', (d) => run(d)?.vmSteps, 'Instructions executed.'),
  compute_vm_init_state_hash: phase('str', (d) => run(d)?.vmInitStateHash, 'Usually zeros.'),
  compute_vm_final_state_hash: phase('str', (d) => run(d)?.vmFinalStateHash, 'Usually zeros.'),
  action_success: phase('bool', (d) => action(d)?.success, 'All actions were carried out.'),
  action_valid: phase('bool', (d) => action(d)?.valid, 'The list of actions is well-formed.'),
  action_no_funds: phase('bool', (d) => action(d)?.noFunds, 'The balance was too small.'),
  action_status_change: phase('str', (d) => action(d)?.statusChange, 'unchanged, frozen or deleted.'),
  action_total_fwd_fees: phase('i64', (d) => action(d)?.totalFwdFees, 'Nanotons.'),
  action_total_action_fees: phase('i64', (d) => action(d)?.totalActionFees, 'Nanotons.'),
  action_result_code: phase('i32', (d) => action(d)?.resultCode, 'Result; null: there was no such phase.'),
  action_result_arg: phase('i32', (d) => action(d)?.resultArg, 'Index of the action that failed.'),
  action_tot_actions: phase('i32', (d) => action(d)?.totActions, 'Actions.'),
  action_spec_actions: phase('i32', (d) => action(d)?.specActions, 'Actions that reserve or set code.'),
  action_skipped_actions: phase('i32', (d) => action(d)?.skippedActions, 'Actions that were skipped.'),
  action_msgs_created: phase('i32', (d) => action(d)?.msgsCreated, 'Messages.'),
  action_action_list_hash: phase('str', (d) => action(d)?.actionListHash, 'Hash of the list of actions.'),
  action_tot_msg_size_cells: phase('i64', (d) => action(d)?.totMsgSize.cells, 'Size of all messages.'),
  action_tot_msg_size_bits: phase('i64', (d) => action(d)?.totMsgSize.bits, 'Size of all messages.'),
  bounce: phase('str', (d) => bounceOf(d)?.type, 'negfunds, nofunds or ok; null: nothing bounced.'),
  bounce_msg_size_cells: phase('i64', (d) => sizeOf(d)?.cells, 'Size of the bounced message.'),
  bounce_msg_size_bits: phase('i64', (d) => sizeOf(d)?.bits, 'Size of the bounced message.'),
  bounce_req_fwd_fees: phase('i64', lack, 'Fees that were lacking, nanotons.'),
  bounce_msg_fees: phase('i64', (d) => bounced(d)?.msgFees, 'Nanotons.'),
  bounce_fwd_fees: phase('i64', (d) => bounced(d)?.fwdFees, 'Nanotons.'),
  split_info_cur_shard_pfx_len: phase('i32', (d) => d.splitInfo?.curShardPfxLen, 'Bits.'),
  split_info_acc_split_depth: phase('i32', (d) => d.splitInfo?.accSplitDepth, 'Bits.'),
  split_info_this_addr: phase('str', (d) => hexOf(d.splitInfo?.thisAddr), 'This half, hex.'),
  split_info_sibling_addr: phase('str', (d) => hexOf(d.splitInfo?.siblingAddr), 'The other half, hex.'),
}

const hexOf = (value: Buffer | undefined): string | undefined => value?.toString('hex').toUpperCase()

const STATE = 'null unless it is the last of the account in its block.'
/** The state before is that after the account's previous transaction, if a block shows it. */
const BEFORE = `left join lateral (
    select p.balance_after, p.code_hash_after from transactions p
    where p.account_id = t.account_id and p.lt = t.prev_trans_lt and p.state_hash_after = t.state_hash_before
  ) p on true`

export const TRANSACTIONS: Dataset = {
  name: 'transactions',
  comment: 'Transactions.',
  kind: 'range',
  from: `from transactions t ${account('a', 't.account_id')} ${BEFORE}`,
  position: { seqno: 't.mc_block_seqno', lt: 't.lt' },
  order: 't.mc_block_seqno, t.lt, t.account_id',
  filters: { account: ['t.account_id'] },
  sources: {
    description: { expression: 't.description', parse: (text) => unpackDescription(bytesOf(text)) },
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
    trace_id: ['str', hash(traceId('t.piece')), 'Hash of the root of its trace.'],
    prev_trans_hash: ['str', hash('t.prev_trans_hash'), 'Transaction of the account before.'],
    prev_trans_lt: ['i64', 't.prev_trans_lt', 'Its logical time; 0: none.'],
    now: ['i32', 't.now', 'Unix seconds.'],
    orig_status: ['str', nameOf(ACCOUNT_STATUS, 't.orig_status'), 'Status before.'],
    end_status: ['str', nameOf(ACCOUNT_STATUS, 't.end_status'), 'Status after.'],
    total_fees: ['i64', 't.total_fees', 'Fees, nanotons.'],
    account_state_hash_before: ['str', hash('t.state_hash_before'), 'Hash of the state before.'],
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
