/** Rows without a database: for worker threads. Nothing here imports `pg`. */

export { RowEncodeError } from '../errors.ts'
export { type AccountIdOverrides, addressKey, noAccounts } from './account-ids.ts'
export { type EncodedBatch, encodeBatch, transferables } from './encode-batch.ts'
export { noTraces } from './encode-traces.ts'

export { joinInitState, splitInitState } from './init-state.ts'
