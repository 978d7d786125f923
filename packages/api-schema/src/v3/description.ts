import type {
  ActionPhase,
  BouncePhase,
  ComputePhase,
  CreditPhase,
  ExtraCurrencies,
  SplitMergeInfo,
  StoragePhase,
  StorageUsed,
  TransactionDescription,
} from '@shardwalk/model'
import { base64, decimal, type Json } from './text.ts'

/** `description` of a transaction in API v3. A key is present if the kind has it and the phase took place. */
export function toDescriptionReply(d: TransactionDescription): Json {
  let json = `{"type":"${d.kind}"`
  if (d.aborted !== undefined) json += `,"aborted":${d.aborted}`
  if (d.destroyed !== undefined) json += `,"destroyed":${d.destroyed}`
  if (d.creditFirst !== undefined) json += `,"credit_first":${d.creditFirst}`
  if (d.isTock !== undefined) json += `,"is_tock":${d.isTock}`
  if (d.installed !== undefined) json += `,"installed":${d.installed}`
  if (d.storagePhase) json += `,"storage_ph":${storagePhase(d.storagePhase)}`
  if (d.creditPhase) json += `,"credit_ph":${creditPhase(d.creditPhase)}`
  if (d.computePhase) json += `,"compute_ph":${computePhase(d.computePhase)}`
  if (d.actionPhase) json += `,"action":${actionPhase(d.actionPhase)}`
  if (d.bouncePhase) json += `,"bounce":${bouncePhase(d.bouncePhase)}`
  if (d.splitInfo) json += `,"split_info":${splitInfo(d.splitInfo)}`
  return `${json}}`
}

function storagePhase(p: StoragePhase): Json {
  const due = p.storageFeesDue === undefined ? '' : `,"storage_fees_due":${decimal(p.storageFeesDue)}`
  return (
    `{"storage_fees_collected":${decimal(p.storageFeesCollected)}${due}` +
    `,"status_change":"${p.statusChange}"}`
  )
}

function creditPhase(p: CreditPhase): Json {
  const due = p.dueFeesCollected === undefined ? '' : `"due_fees_collected":${decimal(p.dueFeesCollected)},`
  const extra = p.creditExtraCurrencies?.size
    ? `,"credit_extra_currencies":${currencies(p.creditExtraCurrencies)}`
    : ''
  return `{${due}"credit":${decimal(p.credit)}${extra}}`
}

/** Decimal ids sorted as text, as in every map of the API. */
function currencies(map: ExtraCurrencies): Json {
  const entries = [...map]
    .map(([id, amount]) => [String(id), amount] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1))
  return `{${entries.map(([id, amount]) => `"${id}":"${amount}"`).join(',')}}`
}

function computePhase(p: ComputePhase): Json {
  if (p.skipped) return `{"skipped":true,"reason":"${p.reason}"}`
  return (
    `{"skipped":false,"success":${p.success},"msg_state_used":${p.msgStateUsed}` +
    `,"account_activated":${p.accountActivated}` +
    `,"gas_fees":${decimal(p.gasFees)},"gas_used":${decimal(p.gasUsed)},"gas_limit":${decimal(p.gasLimit)}` +
    (p.gasCredit === undefined ? '' : `,"gas_credit":${decimal(p.gasCredit)}`) +
    `,"mode":${p.mode},"exit_code":${p.exitCode}` +
    (p.exitArg === undefined ? '' : `,"exit_arg":${p.exitArg}`) +
    `,"vm_steps":${p.vmSteps},"vm_init_state_hash":${base64(p.vmInitStateHash)}` +
    `,"vm_final_state_hash":${base64(p.vmFinalStateHash)}}`
  )
}

function actionPhase(p: ActionPhase): Json {
  return (
    `{"success":${p.success},"valid":${p.valid},"no_funds":${p.noFunds},"status_change":"${p.statusChange}"` +
    (p.totalFwdFees === undefined ? '' : `,"total_fwd_fees":${decimal(p.totalFwdFees)}`) +
    (p.totalActionFees === undefined ? '' : `,"total_action_fees":${decimal(p.totalActionFees)}`) +
    `,"result_code":${p.resultCode}` +
    (p.resultArg === undefined ? '' : `,"result_arg":${p.resultArg}`) +
    `,"tot_actions":${p.totActions},"spec_actions":${p.specActions},"skipped_actions":${p.skippedActions}` +
    `,"msgs_created":${p.msgsCreated},"action_list_hash":${base64(p.actionListHash)}` +
    `,"tot_msg_size":${used(p.totMsgSize)}}`
  )
}

function bouncePhase(p: BouncePhase): Json {
  switch (p.type) {
    case 'negfunds':
      return '{"type":"negfunds"}'
    case 'nofunds':
      return `{"type":"nofunds","msg_size":${used(p.msgSize)},"req_fwd_fees":${decimal(p.reqFwdFees)}}`
    case 'ok':
      return (
        `{"type":"ok","msg_size":${used(p.msgSize)}` +
        `,"msg_fees":${decimal(p.msgFees)},"fwd_fees":${decimal(p.fwdFees)}}`
      )
  }
}

/**
 * The two ids are 256-bit account ids without workchain, printed as hex. No current network has such
 * transactions.
 */
function splitInfo(p: SplitMergeInfo): Json {
  const id = (bytes: Buffer) => bytes.toString('hex').toUpperCase()
  return (
    `{"cur_shard_pfx_len":${p.curShardPfxLen},"acc_split_depth":${p.accSplitDepth}` +
    `,"this_addr":"${id(p.thisAddr)}","sibling_addr":"${id(p.siblingAddr)}"}`
  )
}

const used = (size: StorageUsed): Json => `{"cells":${decimal(size.cells)},"bits":${decimal(size.bits)}}`
