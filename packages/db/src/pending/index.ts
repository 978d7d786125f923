export {
  type Admission,
  type AdmittedMessage,
  admitPending,
  PENDING_LIMITS,
  type PendingLimits,
} from './admit.ts'
export { movePendingAfterSetBack } from './after-set-back.ts'
export { PENDING_CHANNEL } from './channel.ts'
export {
  type ClaimedPending,
  claimPending,
  deletePending,
  invalidatePending,
  type PendingUpdate,
  savePending,
  trimPending,
  wakeAwaiting,
  wakePending,
  withdrawPending,
} from './claim.ts'
