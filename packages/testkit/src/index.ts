export { type ScratchDatabase, type ScratchOptions, scratchDatabase } from './scratch-database.ts'
export { type SyntheticOptions, syntheticAddress, syntheticChain, type VersionedBatch } from './synthetic-chain.ts'
