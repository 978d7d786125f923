import { type Cell, parseBoc, serializeBoc, serializeCanonical, sha256 } from '@shardwalk/cells'
import { type BlockId, DecodeError } from '@shardwalk/model'
import {
  blockBroadcastCompressedData,
  type DataFull,
  decodePrefix,
  type TonNodeBroadcast,
} from '@shardwalk/tl'
import { type BlockSignatures, ordinarySignatures, signaturesOfSet } from './block-signatures.ts'
import { decodeCells } from './compressed-cells.ts'
import { decompressLz4, storeLz4 } from './lz4.ts'

/** A block that a node has sent. The bytes are those of its id; the id itself is not proven. */
export interface ReceivedBlock {
  readonly id: BlockId
  /** The block's file: its SHA-256 is `id.fileHash`. */
  readonly bytes: Buffer
  /** Proof or proof link, unchecked. For compressed forms it is rebuilt. */
  readonly proof: Buffer
  /** Signatures of a broadcast, unchecked; answers have them in the proof. */
  readonly signatures?: BlockSignatures
}

/** The parts of a block that prove its signatures. */
export type ShownProof = Required<Omit<ReceivedBlock, 'bytes'>>

/** A broadcast of a new block, in any of its forms. */
export type BlockBroadcast = Extract<TonNodeBroadcast, { kind: `tonNode.blockBroadcast${string}` }>

const MAX_SIZE = 16 << 20
const MAX_CELLS = 1 << 20
const BASELINE = 0
const IMPROVED_STRUCTURE = 1

/** Whether the broadcast contains a block, in one of the forms in which nodes send it. */
export const isBlockBroadcast = (broadcast: TonNodeBroadcast): broadcast is BlockBroadcast =>
  broadcast.kind.startsWith('tonNode.blockBroadcast')

/** Whether it takes more to read the broadcast than to hash its bytes. */
export const isCompressed = ({ kind }: BlockBroadcast): boolean => kind !== 'tonNode.blockBroadcast'

/** The proof and signatures of a broadcast; undefined if they are compressed, or those of no final block. */
export function shownProof(broadcast: BlockBroadcast): ShownProof | undefined {
  if (broadcast.kind === 'tonNode.blockBroadcastCompressed') return undefined
  const { id, proof } = broadcast
  const signatures =
    broadcast.kind === 'tonNode.blockBroadcast'
      ? ordinarySignatures(broadcast, broadcast.signatures)
      : signaturesOfSet(broadcast.signatureSet)
  return signatures && { id, proof, signatures }
}

/**
 * The block of a broadcast. Throws `DecodeError` if it is damaged or differs from its id. Takes up to a
 * second for a large compressed one.
 */
export function readBlockBroadcast(broadcast: BlockBroadcast): ReceivedBlock {
  switch (broadcast.kind) {
    case 'tonNode.blockBroadcast':
      return {
        ...checked({ id: broadcast.id, bytes: broadcast.data, proof: broadcast.proof }),
        ...shownProof(broadcast),
      }
    case 'tonNode.blockBroadcastCompressed': {
      const plain = decompressLz4(broadcast.compressed, MAX_SIZE)
      const content = decodePrefix(blockBroadcastCompressedData, plain)
      if (!content) throw new DecodeError(`${broadcast.kind}.compressed`, 'has another content')
      const { signatures, proofData } = content.value
      return {
        ...fromPair(broadcast.id, cellsOf(proofData)),
        signatures: ordinarySignatures(broadcast, signatures),
      }
    }
    case 'tonNode.blockBroadcastCompressedV2':
      return {
        ...fromRoot(broadcast.id, cellsOfContainer(broadcast.dataCompressed), broadcast.proof),
        ...shownProof(broadcast),
      }
  }
}

/**
 * The block of an answer; undefined if the node does not have it, or sends it in a form that needs what only
 * nodes have. Throws as above.
 */
export function readDataFull(answer: DataFull): ReceivedBlock | undefined {
  switch (answer.kind) {
    case 'tonNode.dataFull':
      return checked({ id: answer.id, bytes: answer.block, proof: answer.proof })
    case 'tonNode.dataFullCompressed':
      return fromPair(answer.id, cellsOf(decompressLz4(answer.compressed, MAX_SIZE)))
    case 'tonNode.dataFullCompressedV2':
      return isReadable(answer.blockCompressed)
        ? fromRoot(answer.id, cellsOfContainer(answer.blockCompressed), answer.proof)
        : undefined
    case 'tonNode.dataFullEmpty':
      return undefined
  }
}

function checked(block: ReceivedBlock): ReceivedBlock {
  if (sha256(block.bytes).equals(block.id.fileHash)) return block
  throw new DecodeError('tonNode.block', 'is not the block of its id')
}

function fromPair(id: BlockId, roots: readonly Cell[]): ReceivedBlock {
  const [proof, block] = roots
  if (roots.length !== 2 || !proof || !block)
    throw new DecodeError('tonNode.block', `${roots.length} roots instead of proof and block`)
  return checked({ id, bytes: serializeCanonical(block), proof: serializeBoc(proof) })
}

function fromRoot(id: BlockId, roots: readonly Cell[], proof: Buffer): ReceivedBlock {
  const [block] = roots
  if (roots.length !== 1 || !block)
    throw new DecodeError('tonNode.block', `${roots.length} roots instead of 1`)
  return checked({ id, bytes: serializeCanonical(block), proof })
}

function cellsOf(boc: Buffer): readonly Cell[] {
  const bag = parseBoc(boc, { maxCells: MAX_CELLS })
  return bag.roots.map((root) => bag.cell(root))
}

/** A container of the file as it is, which nodes read like a compressed one. */
export function toContainer(file: Buffer): Buffer {
  const head = Buffer.of(BASELINE, 0, 0, 0, 0)
  head.writeUInt32BE(file.length, 1)
  return Buffer.concat([head, storeLz4(file)])
}

/** First byte: algorithm; then the size of what follows when decompressed. */
function cellsOfContainer(container: Buffer): readonly Cell[] {
  if (container.length < 5) throw new DecodeError('boc_compress', 'is too short')
  const algorithm = container[0]!
  const size = container.readUInt32BE(1)
  if (size > MAX_SIZE) throw new DecodeError('boc_compress', `says to be ${size} bytes`)
  if (!isReadable(container))
    throw new DecodeError('boc_compress', `algorithm ${algorithm} needs what only nodes have`)
  const plain = decompressLz4(container.subarray(5), size)
  return algorithm === BASELINE ? cellsOf(plain) : decodeCells(plain)
}

/** Others are made with the previous state, or are newer. */
const isReadable = (container: Buffer): boolean =>
  container.length === 0 || container[0]! <= IMPROVED_STRUCTURE
