import { serializeBoc } from '@shardwalk/cells'
import { type RoleWriters, roleRow } from './role-row.ts'

/** Rows of multisig and vesting wallets. */
export const WALLET_ROWS: RoleWriters<'multisig' | 'multisig_order' | 'vesting'> = {
  multisig: (found, { key, idOf }) =>
    roleRow('multisig_wallets', {
      ...key,
      threshold: found.threshold,
      next_order_seqno: String(found.nextOrderSeqno),
      signers: found.signers.map(idOf),
      proposers: found.proposers.map(idOf),
    }),
  multisig_order: (found, { key, idOf }) =>
    roleRow('multisig_orders', {
      ...key,
      multisig_id: idOf(found.multisig),
      expiration_date: BigInt(found.expirationDate),
      threshold: found.threshold,
      approvals_num: found.approvalsNum,
      sent_for_execution: found.sentForExecution,
      order_seqno: String(found.orderSeqno),
      approvals_mask: String(found.approvalsMask),
      signers: found.signers.map(idOf),
      order_boc: serializeBoc(found.order),
    }),
  vesting: (found, { key, idOf }) =>
    roleRow('vesting_contracts', {
      ...key,
      sender_id: idOf(found.sender),
      owner_id: idOf(found.owner),
      start_time: BigInt(found.startTime),
      total_duration: BigInt(found.totalDuration),
      unlock_period: BigInt(found.unlockPeriod),
      cliff_duration: BigInt(found.cliffDuration),
      total_amount: String(found.totalAmount),
      whitelist: found.whitelist.map(idOf),
    }),
}
