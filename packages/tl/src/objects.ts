import type { BlockId, ShortBlockId } from '@shardwalk/model'
import {
  bool,
  bytes,
  int32,
  int64,
  int256,
  nat,
  type ObjectCodec,
  object,
  string,
  uint32,
  uint64,
  union,
  vector,
  when,
} from './codec.ts'

// Source of names, order and ids: lite_api.tl and ton_api.tl. A test recomputes every id from these
// descriptions.

/** `shard` is unsigned, as everywhere in `@shardwalk/model`. */
export const blockId: ObjectCodec<'tonNode.blockId', ShortBlockId> = object('tonNode.blockId', 0xb7cdb167, {
  workchain: int32,
  shard: uint64,
  seqno: uint32,
})
/** `shard` is unsigned here, too. */
export const blockIdExt: ObjectCodec<'tonNode.blockIdExt', BlockId> = object(
  'tonNode.blockIdExt',
  0x6752eb78,
  {
    workchain: int32,
    shard: uint64,
    seqno: uint32,
    rootHash: int256,
    fileHash: int256,
  },
)
const zeroStateIdExt = object('tonNode.zeroStateIdExt', 0x1d7235ae, {
  workchain: int32,
  rootHash: int256,
  fileHash: int256,
})

/** `id`: the 32-byte hash part of the address. */
export const accountId = object('liteServer.accountId', 0x75a0e2c5, { workchain: int32, id: int256 })
const transactionMetadata = object('liteServer.transactionMetadata', 0xff706385, {
  mode: nat,
  depth: int32,
  initiator: accountId,
  initiatorLt: uint64,
})
/** `mode` also echoes other bits of the request; only bits 0, 1, 2 and 8 stand for fields. */
const transactionId = object('liteServer.transactionId', 0xb12f65af, {
  mode: nat,
  account: when(0, int256),
  lt: when(1, uint64),
  hash: when(2, int256),
  metadata: when(8, transactionMetadata),
})
/** Place of a transaction in a block: `account` is the 32-byte hash part of the address. */
export const transactionId3 = object('liteServer.transactionId3', 0x2c81da77, { account: int256, lt: uint64 })
const libraryEntry = object('liteServer.libraryEntry', 0x8aff2446, { hash: int256, data: bytes })
const shardBlockLink = object('liteServer.shardBlockLink', 0xd30dcf72, {
  id: blockIdExt,
  proof: bytes,
})

const signature = object('liteServer.signature', 0xa3def855, { nodeIdShort: int256, signature: bytes })
/** `liteServer.signatureSet` of older schemes has the same id. */
const signatureSetOrdinary = object('liteServer.signatureSet.ordinary', 0xf644a6e6, {
  validatorSetHash: uint32,
  catchainSeqno: uint32,
  signatures: vector(signature),
})
/** The first two fields are in the opposite order to the ordinary set. */
const signatureSetSimplex = object('liteServer.signatureSet.simplex', 0xac249800, {
  ccSeqno: uint32,
  validatorSetHash: uint32,
  signatures: vector(signature),
  sessionId: int256,
  slot: uint32,
  candidate: bytes,
})
const signatureSet = union('liteServer.SignatureSet', signatureSetOrdinary, signatureSetSimplex)
const blockLinkBack = object('liteServer.blockLinkBack', 0xef7e1bef, {
  toKeyBlock: bool,
  from: blockIdExt,
  to: blockIdExt,
  destProof: bytes,
  proof: bytes,
  stateProof: bytes,
})
const blockLinkForward = object('liteServer.blockLinkForward', 0x520fce1c, {
  toKeyBlock: bool,
  from: blockIdExt,
  to: blockIdExt,
  destProof: bytes,
  configProof: bytes,
  signatures: signatureSet,
})
const blockLink = union('liteServer.BlockLink', blockLinkBack, blockLinkForward)

const outMsgQueueSize = object('liteServer.outMsgQueueSize', 0xa7c64c85, { id: blockIdExt, size: int32 })
const accountDispatchQueueInfo = object('liteServer.accountDispatchQueueInfo', 0x9b52aabb, {
  addr: int256,
  size: int64,
  minLt: uint64,
  maxLt: uint64,
})
const dispatchQueueMessage = object('liteServer.dispatchQueueMessage', 0x84c423ea, {
  addr: int256,
  lt: uint64,
  hash: int256,
  metadata: transactionMetadata,
})

/** A block that validators have proposed; `creator`: ed25519 key of the one who did. */
export const candidateId = object('liteServer.nonfinal.candidateId', 0x55047fee, {
  blockId: blockIdExt,
  creator: int256,
  collatedDataHash: int256,
})
const candidateInfo = object('liteServer.nonfinal.candidateInfo', 0x4dec01d5, {
  id: candidateId,
  available: bool,
  approvedWeight: uint64,
  signedWeight: uint64,
  totalWeight: uint64,
})
const validatorGroupInfo = object('liteServer.nonfinal.validatorGroupInfo', 0xf9d68aa7, {
  nextBlockId: blockId,
  ccSeqno: uint32,
  prev: vector(blockIdExt),
  candidates: vector(candidateInfo),
})

/** Every constructor that occurs in answers. */
export const LITE_OBJECTS = [
  blockId,
  blockIdExt,
  zeroStateIdExt,
  accountId,
  transactionMetadata,
  transactionId,
  transactionId3,
  libraryEntry,
  shardBlockLink,
  signature,
  signatureSetOrdinary,
  signatureSetSimplex,
  blockLinkBack,
  blockLinkForward,
  outMsgQueueSize,
  accountDispatchQueueInfo,
  dispatchQueueMessage,
  candidateId,
  candidateInfo,
  validatorGroupInfo,
  object('liteServer.error', 0xbba9e148, { code: int32, message: string }),
  object('liteServer.masterchainInfo', 0x85832881, {
    last: blockIdExt,
    stateRootHash: int256,
    init: zeroStateIdExt,
  }),
  object('liteServer.masterchainInfoExt', 0xa8cce0f5, {
    mode: nat,
    version: int32,
    capabilities: uint64,
    last: blockIdExt,
    lastUtime: uint32,
    now: uint32,
    stateRootHash: int256,
    init: zeroStateIdExt,
  }),
  object('liteServer.currentTime', 0xe953000d, { now: uint32 }),
  object('liteServer.version', 0x5a0491e5, { mode: nat, version: int32, capabilities: uint64, now: uint32 }),
  object('liteServer.blockData', 0xa574ed6c, { id: blockIdExt, data: bytes }),
  object('liteServer.blockState', 0xabaddc0c, {
    id: blockIdExt,
    rootHash: int256,
    fileHash: int256,
    data: bytes,
  }),
  object('liteServer.blockHeader', 0x752d8219, { id: blockIdExt, mode: nat, headerProof: bytes }),
  object('liteServer.sendMsgStatus', 0x3950e597, { status: int32 }),
  object('liteServer.accountState', 0x7079c751, {
    id: blockIdExt,
    shardblk: blockIdExt,
    shardProof: bytes,
    proof: bytes,
    state: bytes,
  }),
  object('liteServer.runMethodResult', 0xa39a616b, {
    mode: nat,
    id: blockIdExt,
    shardblk: blockIdExt,
    shardProof: when(0, bytes),
    proof: when(0, bytes),
    stateProof: when(1, bytes),
    initC7: when(3, bytes),
    libExtras: when(4, bytes),
    exitCode: int32,
    result: when(2, bytes),
  }),
  object('liteServer.shardInfo', 0x9fe6cd84, {
    id: blockIdExt,
    shardblk: blockIdExt,
    shardProof: bytes,
    shardDescr: bytes,
  }),
  object('liteServer.allShardsInfo', 0x098fe72d, { id: blockIdExt, proof: bytes, data: bytes }),
  object('liteServer.transactionInfo', 0x0edeed47, { id: blockIdExt, proof: bytes, transaction: bytes }),
  object('liteServer.transactionList', 0x6f26c60b, { ids: vector(blockIdExt), transactions: bytes }),
  object('liteServer.blockTransactions', 0xbd8cad2b, {
    id: blockIdExt,
    reqCount: nat,
    incomplete: bool,
    ids: vector(transactionId),
    proof: bytes,
  }),
  object('liteServer.blockTransactionsExt', 0xfb8ffce4, {
    id: blockIdExt,
    reqCount: nat,
    incomplete: bool,
    transactions: bytes,
    proof: bytes,
  }),
  object('liteServer.partialBlockProof', 0x8ed0d2c1, {
    complete: bool,
    from: blockIdExt,
    to: blockIdExt,
    steps: vector(blockLink),
  }),
  object('liteServer.configInfo', 0xae7b272f, {
    mode: nat,
    id: blockIdExt,
    stateProof: bytes,
    configProof: bytes,
  }),
  object('liteServer.validatorStats', 0xb9f796d8, {
    mode: nat,
    id: blockIdExt,
    count: int32,
    complete: bool,
    stateProof: bytes,
    dataProof: bytes,
  }),
  object('liteServer.libraryResult', 0x117ab96b, { result: vector(libraryEntry) }),
  object('liteServer.libraryResultWithProof', 0x10a927bf, {
    id: blockIdExt,
    mode: nat,
    result: vector(libraryEntry),
    stateProof: bytes,
    dataProof: bytes,
  }),
  object('liteServer.shardBlockProof', 0x1d62a07a, {
    masterchainId: blockIdExt,
    links: vector(shardBlockLink),
  }),
  object('liteServer.lookupBlockResult', 0x99786be7, {
    id: blockIdExt,
    mode: nat,
    mcBlockId: blockIdExt,
    clientMcStateProof: bytes,
    mcBlockProof: bytes,
    shardLinks: vector(shardBlockLink),
    header: bytes,
    prevHeader: bytes,
  }),
  object('liteServer.outMsgQueueSizes', 0xf8504a03, {
    shards: vector(outMsgQueueSize),
    extMsgQueueSizeLimit: int32,
  }),
  object('liteServer.blockOutMsgQueueSize', 0x8acdbe1b, {
    mode: nat,
    id: blockIdExt,
    size: int64,
    proof: when(0, bytes),
  }),
  object('liteServer.dispatchQueueInfo', 0x5d1132d0, {
    mode: nat,
    id: blockIdExt,
    accountDispatchQueues: vector(accountDispatchQueueInfo),
    complete: bool,
    proof: when(0, bytes),
  }),
  object('liteServer.dispatchQueueMessages', 0x4b407931, {
    mode: nat,
    id: blockIdExt,
    messages: vector(dispatchQueueMessage),
    complete: bool,
    proof: when(0, bytes),
    messagesBoc: when(2, bytes),
  }),
  object('liteServer.debug.verbosity', 0x5d404733, { value: int32 }),
  object('liteServer.nonfinal.candidate', 0x80c3468c, { id: candidateId, data: bytes, collatedData: bytes }),
  object('liteServer.nonfinal.validatorGroups', 0x8d0b9dfe, { groups: vector(validatorGroupInfo) }),
  object('liteServer.nonfinal.pendingShardBlocks', 0x1fd06e4d, {
    signedBlocks: vector(blockIdExt),
    candidates: vector(blockIdExt),
  }),
  object('liteProxy.requestRateLimit', 0x14cb3f0c, { limit: int32, perTime: int32 }),
] as const
