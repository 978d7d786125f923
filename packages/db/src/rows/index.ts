/** Rows without a database: for worker threads. Nothing here imports `pg`. */

export { RowEncodeError } from '../errors.ts'
export { type AccountIdOverrides, type AccountList, addressKey, noAccounts } from './account-ids.ts'
export {
  type EncodedBatch,
  type EncodeOptions,
  encodeBatch,
  transferables,
} from './encode-batch.ts'
export { type EncodedTraces, noTraces } from './encode-traces.ts'
export type { EncodedRows } from './encoded-rows.ts'
export { joinInitState, type StoredInitState, splitInitState } from './init-state.ts'
