import {
  type Boxed,
  bool,
  bytes,
  decodePrefix,
  decodeUnion,
  encodeUnion,
  int32,
  int256,
  nat,
  object,
  uint32,
  uint64,
  union,
  vector,
} from '../codec.ts'
import { candidateHashData } from '../consensus.ts'
import { blockIdExt } from '../objects.ts'

// What full nodes ask and send each other. Source: ton_api.tl, tonNode.

export const shardId = object('tonNode.shardId', 0x28fa0877, { workchain: int32, shard: uint64 })
/** The hash of this is the name of a shard's overlay. */
export const shardPublicOverlayId = object('tonNode.shardPublicOverlayId', 0x4d9ed329, {
  workchain: int32,
  shard: uint64,
  zeroStateFileHash: int256,
})

export const blockSignature = object('tonNode.blockSignature', 0x50f03c33, { who: int256, signature: bytes })
export const newShardBlock = object('tonNode.newShardBlock', 0xa49dc229, {
  block: blockIdExt,
  ccSeqno: uint32,
  data: bytes,
})
export const externalMessage = object('tonNode.externalMessage', 0xdc75a209, { data: bytes })

/** `final` false: validators have notarised the block, which does not make it final. */
export const SIGNATURE_SETS = [
  object('tonNode.signatureSet.ordinary', 0xacc8ad24, {
    ccSeqno: uint32,
    validatorSetHash: uint32,
    signatures: vector(blockSignature),
  }),
  object('tonNode.signatureSet.simplex', 0x6a23db02, {
    final: bool,
    ccSeqno: uint32,
    validatorSetHash: uint32,
    signatures: vector(blockSignature),
    sessionId: int256,
    slot: uint32,
    candidate: candidateHashData,
  }),
] as const

/** Payloads of broadcasts in the overlays of shards. Candidates are not listed: they are not final. */
export const TON_NODE_BROADCASTS = [
  object('tonNode.blockBroadcast', 0xae2e1105, {
    id: blockIdExt,
    catchainSeqno: uint32,
    validatorSetHash: uint32,
    signatures: vector(blockSignature),
    proof: bytes,
    data: bytes,
  }),
  object('tonNode.blockBroadcastCompressed', 0x09fd1743, {
    id: blockIdExt,
    catchainSeqno: uint32,
    validatorSetHash: uint32,
    flags: nat,
    compressed: bytes,
  }),
  object('tonNode.blockBroadcastCompressedV2', 0x50234058, {
    id: blockIdExt,
    signatureSet: union('tonNode.SignatureSet', ...SIGNATURE_SETS),
    flags: nat,
    proof: bytes,
    dataCompressed: bytes,
  }),
  object('tonNode.newShardBlockBroadcast', 0x0af2fabc, { block: newShardBlock }),
  object('tonNode.externalMessageBroadcast', 0x3d1b1867, { message: externalMessage }),
] as const
export type TonNodeBroadcast = Boxed<(typeof TON_NODE_BROADCASTS)[number]>
export const tonNodeBroadcast = union('tonNode.Broadcast', ...TON_NODE_BROADCASTS)

/** What the first compressed form contains. */
export const blockBroadcastCompressedData = object('tonNode.blockBroadcastCompressed.data', 0xfe9113b6, {
  signatures: vector(blockSignature),
  proofData: bytes,
})

/** A block with its proof, in the forms in which nodes send it. */
export const DATA_FULL = [
  object('tonNode.dataFull', 0xbe589f93, { id: blockIdExt, proof: bytes, block: bytes, isLink: bool }),
  object('tonNode.dataFullCompressed', 0x463d2ca5, {
    id: blockIdExt,
    flags: nat,
    compressed: bytes,
    isLink: bool,
  }),
  object('tonNode.dataFullCompressedV2', 0xb49b7854, {
    id: blockIdExt,
    flags: nat,
    proof: bytes,
    blockCompressed: bytes,
    isLink: bool,
  }),
  object('tonNode.dataFullEmpty', 0x576e85ca, {}),
] as const
export type DataFull = Boxed<(typeof DATA_FULL)[number]>

/** Answers of full nodes. Source: ton_api.tl, functions of `tonNode`. */
export const TON_NODE_ANSWERS = [
  ...DATA_FULL,
  object('tonNode.capabilities', 0xf5bf60c0, { versionMajor: int32, versionMinor: int32, flags: nat }),
  object('tonNode.blockDescription', 0x46a1d088, { id: blockIdExt }),
  object('tonNode.blockDescriptionEmpty', 0x8384ae95, {}),
  object('tonNode.prepared', 0xeac4bbcd, {}),
  object('tonNode.notFound', 0xe2c33da6, {}),
  object('tonNode.preparedProof', 0x899f9a4b, {}),
  object('tonNode.preparedProofLink', 0x3dff328d, {}),
  object('tonNode.preparedProofEmpty', 0xc769c17a, {}),
  object('tonNode.preparedState', 0x375bcb6d, {}),
  object('tonNode.notFoundState', 0x32390a51, {}),
  object('tonNode.keyBlocks', 0x07664d59, { blocks: vector(blockIdExt), incomplete: bool, error: bool }),
  object('tonNode.archiveInfo', 0x19efff8c, { id: uint64 }),
  object('tonNode.archiveNotFound', 0x99291683, {}),
] as const
export type TonNodeAnswer = Boxed<(typeof TON_NODE_ANSWERS)[number]>
export const tonNodeAnswer = union('tonNode.Answer', ...TON_NODE_ANSWERS)
const ANSWER_IDS: ReadonlySet<number> = new Set(TON_NODE_ANSWERS.map(({ id }) => id))

/** Undefined for a constructor that we do not know: nodes may be newer. Throws `DecodeError`. */
export const decodeTonNodeAnswer = (bytes: Buffer): TonNodeAnswer | undefined =>
  bytes.length >= 4 && !ANSWER_IDS.has(bytes.readUInt32LE(0)) ? undefined : decodeUnion(tonNodeAnswer, bytes)

/** Queries. Those that download a file are answered with its bytes, without a constructor. */
export const TON_NODE_FUNCTIONS = [
  object('tonNode.getCapabilities', 0xdee618f8, {}),
  object('tonNode.getNextBlockDescription', 0x1455b0f3, { prevBlock: blockIdExt }),
  object('tonNode.prepareBlock', 0x75a37f4e, { block: blockIdExt }),
  object('tonNode.downloadBlock', 0xe27279c3, { block: blockIdExt }),
  object('tonNode.downloadBlockFull', 0x6a27c49d, { block: blockIdExt }),
  object('tonNode.downloadNextBlockFull', 0x6ea0374a, { prevBlock: blockIdExt }),
  object('tonNode.prepareBlockProof', 0x875c3308, { block: blockIdExt, allowPartial: bool }),
  object('tonNode.downloadBlockProof', 0x4bd6478a, { block: blockIdExt }),
  object('tonNode.downloadBlockProofLink', 0x25b300c6, { block: blockIdExt }),
  object('tonNode.prepareKeyBlockProof', 0x77364c38, { block: blockIdExt, allowPartial: bool }),
  object('tonNode.downloadKeyBlockProof', 0xec23483a, { block: blockIdExt }),
  object('tonNode.downloadKeyBlockProofLink', 0x12e42ad2, { block: blockIdExt }),
  object('tonNode.getNextKeyBlockIds', 0xf2e7cfbb, { block: blockIdExt, maxSize: int32 }),
  object('tonNode.prepareZeroState', 0x41ce0825, { block: blockIdExt }),
  object('tonNode.downloadZeroState', 0xadcc1e5a, { block: blockIdExt }),
  object('tonNode.getArchiveInfo', 0x7b2dd941, { masterchainSeqno: int32 }),
  object('tonNode.getShardArchiveInfo', 0x12fb3b58, { masterchainSeqno: int32, shardPrefix: shardId }),
  object('tonNode.getArchiveSlice', 0x203b5168, { archiveId: uint64, offset: uint64, maxSize: int32 }),
] as const
export type TonNodeFunction = Boxed<(typeof TON_NODE_FUNCTIONS)[number]>
export const tonNodeFunction = union('tonNode.Function', ...TON_NODE_FUNCTIONS)

/** A member that does not serve the overlay asks others to forget it. */
export const forgetPeer = object('tonNode.forgetPeer', 0xab22f481, {})
/** The message by which a node says that it does not serve an overlay. */
export const FORGET_PEER = encodeUnion(union('tonNode.ForgetPeer', forgetPeer), {
  kind: 'tonNode.forgetPeer',
})
/** Whether a message begins with `FORGET_PEER`. */
export const isForgetPeer = (bytes: Buffer): boolean => decodePrefix(forgetPeer, bytes) !== undefined
