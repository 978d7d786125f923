export {
  type AdnlConnection,
  type Connect,
  type ConnectOptions,
  connectAdnl,
  type QueryLimits,
} from './adnl/client.ts'
export type { AdnlFaults, QueryFault } from './adnl/faults.ts'
export { AdnlServer, type AdnlServerOptions, type QueryContext, type QueryHandler } from './adnl/server.ts'
export { type Clock, type RandomBytes, systemClock } from './clock.ts'
export {
  BadNetworkConfig,
  type NetworkConfig,
  parseGlobalConfig,
  parseServerList,
  trustedBlocks,
} from './config/network-config.ts'
export { type ServerAddress, serverAddress } from './config/server-address.ts'
export {
  isNotFound,
  isProofNotFound,
  LiteServerError,
  NoServerAvailable,
  PoolClosed,
  QueryTimeout,
  TransportError,
  WrongAnswer,
} from './errors.ts'
export { CheckedPool } from './pool/checked-pool.ts'
export { LiteServerPool, type MethodOptions, type SendOptions } from './pool/lite-server-pool.ts'
export { NONFINAL_FUNCTIONS, type NonfinalFunction } from './pool/nonfinal.ts'
export type { PoolOptions, ReportedHead, ServerStatus } from './pool/pool-core.ts'
export type { Answer, QueryOptions } from './pool/query-options.ts'
export { isMessageRefusal } from './pool/verdict.ts'
