export { csvField, csvLine, withoutFormula } from './csv.ts'
export {
  ExportDiffers,
  type ExportIdentity,
  exportPartition,
  type PartitionOptions,
} from './export-partition.ts'
export { HeadFirst } from './head-first.ts'
export { type Manifest, problemsOf, readManifest } from './manifest.ts'
export type { Compression, FileFormat } from './row-file.ts'
export { writeSchema } from './schema-file.ts'
export { terminalTable } from './terminal-table.ts'
export { WritingThread } from './writing-thread.ts'
