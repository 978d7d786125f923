export type { AdnlFaults, QueryFault } from './adnl/faults.ts'
export { AdnlServer, type QueryContext } from './adnl/server.ts'
export {
  type NetworkConfig,
  parseGlobalConfig,
  parseServerList,
  trustedBlocks,
} from './config/network-config.ts'
export type { ServerAddress } from './config/server-address.ts'
export {
  isNotFound,
  isProofNotFound,
  LiteServerError,
  NoServerAvailable,
  QueryTimeout,
  TransportError,
  WrongAnswer,
} from './errors.ts'
export { CheckedPool } from './pool/checked-pool.ts'
export { LiteServerPool } from './pool/lite-server-pool.ts'
export type { ReportedHead, ServerStatus } from './pool/pool-core.ts'
export type { Answer, QueryOptions } from './pool/query-options.ts'
export { isMessageRefusal } from './pool/verdict.ts'
