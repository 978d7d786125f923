import type { Accounts } from './accounts/accounts.ts'
import type { ChainIndex } from './accounts/chain-index.ts'
import type { BlockProofs } from './blocks/block-proofs.ts'
import type { BlockTransactions } from './blocks/block-transactions.ts'
import type { Blocks } from './blocks/blocks.ts'
import type { Configuration } from './blocks/configuration.ts'
import type { Heads } from './blocks/heads.ts'
import type { Shards } from './blocks/shards.ts'
import type { GetMethods } from './get-methods/get-methods.ts'
import type { LiteClient } from './lite-client.ts'
import type { SentMessages } from './messages/sent-messages.ts'

/**
 * Access to the network. Answers are verified before they are returned, and immutable ones are cached.
 * Requests with several steps take a `NodeAccess`: `AccountHistory`, `locateResult`, `estimateFee`,
 * `readTokenData`, `resolveDns`.
 */
export interface NodeAccess {
  readonly client: LiteClient
  readonly heads: Heads
  readonly blocks: Blocks
  readonly shards: Shards
  readonly configuration: Configuration
  readonly blockTransactions: BlockTransactions
  readonly blockProofs: BlockProofs
  readonly accounts: Accounts
  readonly getMethods: GetMethods
  readonly index: ChainIndex
  readonly sent: SentMessages
}
