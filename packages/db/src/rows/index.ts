/** Rows without a database: for worker threads. Nothing here imports `pg`. */
export { type EncodedTraces, noTraces } from '../traces/encode-traces.ts'
export { type AccountIdOverrides, type AccountList, addressKey } from './account-ids.ts'
export {
  type EncodedBatch,
  type EncodedRows,
  type EncodeOptions,
  encodeBatch,
  transferables,
} from './encode-batch.ts'
export { joinInitState, type StoredInitState, splitInitState } from './init-state.ts'
