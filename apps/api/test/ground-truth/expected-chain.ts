import type { Expected } from './description.ts'

/** A message as API v3 returns it, produced with `@ton/core` alone; profile `standard`. */
export interface ExpectedMessage {
  readonly json: Expected
  readonly key: string
  readonly hash: Buffer
  readonly hashNorm?: Buffer
  readonly createdLt?: bigint
  readonly createdAt?: number
  readonly kind: 'internal' | 'external_in' | 'external_out'
  readonly source?: string
  readonly destination?: string
  readonly opcode?: number
  readonly bodyHash: Buffer
  inTx?: ExpectedTransaction
  outTx?: ExpectedTransaction
}

export interface ExpectedTransaction {
  readonly json: Expected
  readonly account: string
  readonly hash: Buffer
  readonly lt: bigint
  readonly now: number
  readonly block: ExpectedBlock
  readonly inMsg?: ExpectedMessage
  readonly outMsgs: readonly ExpectedMessage[]
}

export interface ExpectedBlock {
  readonly json: Expected
  readonly workchain: number
  readonly shard: bigint
  readonly seqno: number
  readonly mcBlockSeqno: number
  readonly genUtime: number
  readonly startLt: bigint
  readonly rootHash: Buffer
  readonly fileHash: Buffer
  readonly transactions: ExpectedTransaction[]
}

export interface GroundTruth {
  readonly blocks: readonly ExpectedBlock[]
  readonly transactions: readonly ExpectedTransaction[]
  /** One entry per message, with both ends. */
  readonly messages: readonly ExpectedMessage[]
  /** Per masterchain seqno: the blocks of the shard state, including the masterchain block. */
  readonly shardStates: ReadonlyMap<number, readonly ExpectedBlock[]>
}

/** By hash, base64. */
export type Messages = Map<string, ExpectedMessage>

export const shardHex = (shard: bigint) => shard.toString(16).toUpperCase()
