import {
  type Batch,
  type BlockId,
  type DecodedBlock,
  type DecodedMessage,
  type DecodedTransaction,
  NO_ACCOUNT_HASH,
  NO_TRANSACTION_HASH,
  type RawAddress,
} from '@shardwalk/model'

const EMPTY_BODY = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7'

export interface Extent {
  readonly batches: number
  readonly lt: bigint
}

/**
 * The same batch with other accounts, blocks, bodies and a later time, so that index trees grow as with a
 * longer chain while the mix of transactions stays that of the recording. Copy 0 is the batch itself.
 */
export function copyOfBatch(batch: Batch, copy: number, extent: Extent): Batch {
  if (copy === 0) return batch
  const moved = new Mover(copy, extent)
  const { masterchain, shards } = batch
  const tops = masterchain.shardTops?.map((top) => ({ ...top, ...moved.block(top) }))
  return {
    masterchain: { ...moved.decoded(masterchain), ...(tops && { shardTops: tops }) },
    shards: shards.map((block) => moved.decoded(block)),
  }
}

class Mover {
  constructor(
    private readonly copy: number,
    private readonly extent: Extent,
  ) {}

  block<T extends BlockId>(id: T): T {
    const { seqno, rootHash, fileHash } = id
    return {
      ...id,
      seqno: seqno + this.copy * this.extent.batches * 3,
      rootHash: this.hash(rootHash),
      fileHash: this.hash(fileHash),
    }
  }

  decoded(block: DecodedBlock): DecodedBlock {
    const { header } = block
    return {
      ...block,
      id: this.block(block.id),
      prev: block.prev.map((id) => this.block(id)),
      header: {
        ...header,
        startLt: this.lt(header.startLt),
        endLt: this.lt(header.endLt),
        genUtime: this.time(header.genUtime),
      },
      transactions: block.transactions.map((tx) => this.transaction(tx)),
    }
  }

  private transaction(tx: DecodedTransaction): DecodedTransaction {
    const after = tx.stateAfter
    return {
      ...tx,
      account: this.address(tx.account),
      hash: this.hash(tx.hash),
      prevTransHash: this.hash(tx.prevTransHash),
      stateHashBefore: this.hash(tx.stateHashBefore),
      stateHashAfter: this.hash(tx.stateHashAfter),
      lt: this.lt(tx.lt),
      prevTransLt: tx.prevTransLt && this.lt(tx.prevTransLt),
      now: this.time(tx.now),
      inMsg: tx.inMsg && this.message(tx.inMsg),
      outMsgs: tx.outMsgs.map((message) => this.message(message)),
      ...(after && {
        stateAfter: { ...after, ...(after.dataHash && { dataHash: this.hash(after.dataHash) }) },
      }),
    }
  }

  private message(message: DecodedMessage): DecodedMessage {
    const { source, destination, createdLt, createdAt, hashNorm, bodyHash } = message
    return {
      ...message,
      hash: this.hash(message.hash),
      ...(hashNorm && { hashNorm: this.hash(hashNorm) }),
      ...(source && !message.isSystem && { source: this.address(source) }),
      ...(destination && { destination: this.address(destination) }),
      ...(createdLt !== undefined && { createdLt: this.lt(createdLt) }),
      ...(createdAt !== undefined && { createdAt: this.time(createdAt) }),
      // A body repeats within a copy as often as in the recording, but not across copies; the empty body is
      // always the same.
      bodyHash: bodyHash.toString('hex') === EMPTY_BODY ? bodyHash : this.hash(bodyHash),
    }
  }

  private address = ({ workchain, hash }: RawAddress): RawAddress => ({ workchain, hash: this.hash(hash) })

  /** Spread over the whole range, so that copies are not adjacent in an index. */
  private hash(hash: Buffer): Buffer {
    if (hash.equals(NO_ACCOUNT_HASH) || hash.equals(NO_TRANSACTION_HASH)) return hash
    const changed = Buffer.from(hash)
    changed.writeUInt32BE((hash.readUInt32BE(0) ^ Math.imul(this.copy, 0x9e3779b1)) >>> 0, 0)
    changed.writeUInt16BE(hash.readUInt16BE(30) ^ this.copy, 30)
    return changed
  }

  private lt = (lt: bigint): bigint => lt + BigInt(this.copy) * this.extent.lt

  private time = (seconds: number): number => seconds + this.copy * this.extent.batches
}
