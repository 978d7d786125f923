export { TvmClosed, TvmOverloaded, TvmUnavailable } from './errors.ts'
export { slimConfig } from './slim-config.ts'
export { TvmPool } from './tvm-pool.ts'
export type { GetMethodCall, GetMethodResult, TvmEnvironment, TvmPoolOptions } from './types.ts'
