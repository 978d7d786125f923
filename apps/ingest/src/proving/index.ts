export { AnchorMismatch } from './anchors.ts'
export type { ProofPool } from './block-prover.ts'
export { ChainConflict, NotProvableNow, OnlyFalseProofs } from './errors.ts'
export { Proving, type ProvingOptions, refuseKnownConflict } from './proving.ts'
