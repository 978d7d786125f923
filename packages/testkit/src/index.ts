export { type ScratchDatabase, type ScratchOptions, scratchDatabase } from './scratch-database.ts'
