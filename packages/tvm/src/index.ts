export { type LoadedContract, TvmContractReader } from './contract-reader.ts'
export { type MessageFees, messageFees } from './emulation-fees.ts'
export { TvmClosed } from './errors.ts'
export { publicLibraries } from './public-libraries.ts'
export { slimConfig } from './slim-config.ts'
export { decodeResults, encodeArguments } from './stack-bags.ts'
export { TvmPool } from './tvm-pool.ts'
export type {
  Caller,
  EmulateCall,
  EmulateResult,
  GetMethodCall,
  GetMethodResult,
  RawGetMethodResult,
  TvmEnvironment,
  TvmFailure,
  TvmPoolOptions,
} from './types.ts'
