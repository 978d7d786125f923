export { type LoadedContract, TvmContractReader, type TvmContractReaderOptions } from './contract-reader.ts'
export { type MessageFees, messageFees } from './emulation-fees.ts'
export { TvmClosed, TvmOverloaded, TvmUnavailable } from './errors.ts'
export { publicLibraries } from './public-libraries.ts'
export { slimConfig } from './slim-config.ts'
export { TvmPool } from './tvm-pool.ts'
export type {
  EmulateCall,
  EmulateResult,
  GetMethodCall,
  GetMethodResult,
  TvmEnvironment,
  TvmPoolOptions,
} from './types.ts'
