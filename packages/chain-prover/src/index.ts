export type { ProofPool } from './block-prover.ts'
export { ChainProver, type ChainProverOptions, refuseKnownConflict } from './chain-prover.ts'
export { ChainConflict } from './errors.ts'
