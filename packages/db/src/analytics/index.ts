// What writes rows to files needs of datasets, without connections and tables: threads load it, too.
export { DATASETS } from './datasets/index.ts'
export type { ExportType } from './define-dataset.ts'
export { type ComputedValue, type PackedRows, RowBatch, type TextRow, textOf } from './row-batch.ts'
export { completionOf } from './select-dataset.ts'
