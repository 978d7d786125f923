import type { V2MethodName } from '@shardwalk/api-schema'
import { ACCOUNT_HANDLERS } from './accounts.ts'
import { BLOCK_PROOF_HANDLERS } from './block-proofs.ts'
import { BLOCK_TRANSACTION_HANDLERS } from './block-transactions.ts'
import { BLOCK_HANDLERS } from './blocks.ts'
import { CONFIGURATION_HANDLERS } from './configuration.ts'
import { DNS_HANDLERS } from './dns.ts'
import { FEE_HANDLERS } from './estimate-fee.ts'
import type { V2Handlers } from './handler.ts'
import { LOCATE_HANDLERS } from './locate.ts'
import { RUN_HANDLERS } from './run-method.ts'
import { SEND_HANDLERS } from './send.ts'
import { TOKEN_HANDLERS } from './token-data.ts'
import { TRANSACTION_HANDLERS } from './transactions.ts'
import { UTIL_HANDLERS } from './utils.ts'

/** Handlers of all methods. */
export const V2_HANDLERS: V2Handlers<V2MethodName> = {
  ...ACCOUNT_HANDLERS,
  ...BLOCK_HANDLERS,
  ...BLOCK_PROOF_HANDLERS,
  ...BLOCK_TRANSACTION_HANDLERS,
  ...TRANSACTION_HANDLERS,
  ...LOCATE_HANDLERS,
  ...SEND_HANDLERS,
  ...FEE_HANDLERS,
  ...RUN_HANDLERS,
  ...TOKEN_HANDLERS,
  ...DNS_HANDLERS,
  ...UTIL_HANDLERS,
  ...CONFIGURATION_HANDLERS,
}
