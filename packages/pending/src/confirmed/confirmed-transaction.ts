import type { KnownTransaction } from '@shardwalk/emulation'
import type { DecodedMessage, ShortBlockId } from '@shardwalk/model'
import type { StoredState } from '../stored-trace.ts'

/** A shard block that validators signed and that the masterchain has not committed yet. */
export interface ConfirmedBlock extends ShortBlockId {
  readonly rootHash: Buffer
}

/** A transaction of such a block. */
export interface ConfirmedTransaction extends KnownTransaction {
  readonly block: ConfirmedBlock
  /** The account after it, where the block has it. */
  readonly after?: StoredState | undefined
}

/** What a message is awaited by: its hash, normalised if it is external, base64. */
export const messageName = ({ hash, hashNorm }: Pick<DecodedMessage, 'hash' | 'hashNorm'>): string =>
  (hashNorm ?? hash).toString('base64')

/** Map key of a block: its root hash, base64. */
export const blockName = ({ rootHash }: ConfirmedBlock): string => rootHash.toString('base64')
