import {
  bool,
  bytes,
  type Fields,
  type FieldValues,
  flag,
  int32,
  int256,
  nat,
  type ObjectCodec,
  object,
  uint32,
  uint64,
  vector,
  when,
} from './codec.ts'
import { accountId, blockId, blockIdExt, candidateId, transactionId3 } from './objects.ts'
import type { LiteObjectName } from './registry.ts'

/** A function: its constructor and the name of the constructor of its answer. */
export interface LiteFunction<N extends string, A, R extends LiteObjectName> extends ObjectCodec<N, A> {
  readonly result: R
}

const fn = <const N extends string, const F extends Fields, const R extends LiteObjectName>(
  name: N,
  id: number,
  fields: F,
  result: R,
): LiteFunction<N, FieldValues<F>, R> => ({ ...object(name, id, fields), result })

const listing = {
  id: blockIdExt,
  mode: nat,
  count: nat,
  after: when(7, transactionId3),
  reverseOrder: flag(6),
  wantProof: flag(5),
}
const workchainAndShard = { mode: nat, wc: when(0, int32), shard: when(0, uint64) }

/**
 * All lite server queries. Mode bits are documented in lite_api.tl; the codec sets those of the fields
 * present.
 */
export const LITE_FUNCTIONS = [
  fn('liteServer.getMasterchainInfo', 0x89b5e62e, {}, 'liteServer.masterchainInfo'),
  fn('liteServer.getMasterchainInfoExt', 0x70a671df, { mode: nat }, 'liteServer.masterchainInfoExt'),
  fn('liteServer.getTime', 0x16ad5a34, {}, 'liteServer.currentTime'),
  fn('liteServer.getVersion', 0x232b940b, {}, 'liteServer.version'),
  fn('liteServer.getBlock', 0x6377cf0d, { id: blockIdExt }, 'liteServer.blockData'),
  fn('liteServer.getState', 0xba6e2eb6, { id: blockIdExt }, 'liteServer.blockState'),
  fn('liteServer.getBlockHeader', 0x21ec069e, { id: blockIdExt, mode: nat }, 'liteServer.blockHeader'),
  fn('liteServer.sendMessage', 0x690ad482, { body: bytes }, 'liteServer.sendMsgStatus'),
  fn(
    'liteServer.getAccountState',
    0x6b890e25,
    { id: blockIdExt, account: accountId },
    'liteServer.accountState',
  ),
  fn(
    'liteServer.getAccountStatePrunned',
    0x5a698507,
    { id: blockIdExt, account: accountId },
    'liteServer.accountState',
  ),
  fn(
    'liteServer.runSmcMethod',
    0x5cc65dd2,
    { mode: nat, id: blockIdExt, account: accountId, methodId: uint64, params: bytes },
    'liteServer.runMethodResult',
  ),
  fn(
    'liteServer.getShardInfo',
    0x46a2f425,
    { id: blockIdExt, workchain: int32, shard: uint64, exact: bool },
    'liteServer.shardInfo',
  ),
  fn('liteServer.getAllShardsInfo', 0x74d3fd6b, { id: blockIdExt }, 'liteServer.allShardsInfo'),
  fn(
    'liteServer.getOneTransaction',
    0xd40f24ea,
    { id: blockIdExt, account: accountId, lt: uint64 },
    'liteServer.transactionInfo',
  ),
  fn(
    'liteServer.getTransactions',
    0x1c40e7a1,
    { count: nat, account: accountId, lt: uint64, hash: int256 },
    'liteServer.transactionList',
  ),
  fn(
    'liteServer.lookupBlock',
    0xfac8f71e,
    { mode: nat, id: blockId, lt: when(1, uint64), utime: when(2, uint32) },
    'liteServer.blockHeader',
  ),
  fn(
    'liteServer.lookupBlockWithProof',
    0x9c045ff8,
    { mode: nat, id: blockId, mcBlockId: blockIdExt, lt: when(1, uint64), utime: when(2, uint32) },
    'liteServer.lookupBlockResult',
  ),
  fn('liteServer.listBlockTransactions', 0xadfcc7da, listing, 'liteServer.blockTransactions'),
  fn('liteServer.listBlockTransactionsExt', 0x0079dd5c, listing, 'liteServer.blockTransactionsExt'),
  fn(
    'liteServer.getBlockProof',
    0x8aea9c44,
    { mode: nat, knownBlock: blockIdExt, targetBlock: when(0, blockIdExt) },
    'liteServer.partialBlockProof',
  ),
  fn('liteServer.getConfigAll', 0x911b26b7, { mode: nat, id: blockIdExt }, 'liteServer.configInfo'),
  fn(
    'liteServer.getConfigParams',
    0x2a111c19,
    { mode: nat, id: blockIdExt, paramList: vector(int32) },
    'liteServer.configInfo',
  ),
  fn(
    'liteServer.getValidatorStats',
    0x091a58bc,
    { mode: nat, id: blockIdExt, limit: int32, startAfter: when(0, int256), modifiedAfter: when(2, uint32) },
    'liteServer.validatorStats',
  ),
  fn('liteServer.getLibraries', 0xd122b662, { libraryList: vector(int256) }, 'liteServer.libraryResult'),
  fn(
    'liteServer.getLibrariesWithProof',
    0xd97693bd,
    { id: blockIdExt, mode: nat, libraryList: vector(int256) },
    'liteServer.libraryResultWithProof',
  ),
  fn('liteServer.getShardBlockProof', 0x4ca60350, { id: blockIdExt }, 'liteServer.shardBlockProof'),
  fn('liteServer.getOutMsgQueueSizes', 0x7bc19c36, workchainAndShard, 'liteServer.outMsgQueueSizes'),
  fn(
    'liteServer.getBlockOutMsgQueueSize',
    0x8f6c7779,
    { mode: nat, id: blockIdExt, wantProof: flag(0) },
    'liteServer.blockOutMsgQueueSize',
  ),
  fn(
    'liteServer.getDispatchQueueInfo',
    0x01e66bf3,
    { mode: nat, id: blockIdExt, afterAddr: when(1, int256), maxAccounts: int32, wantProof: flag(0) },
    'liteServer.dispatchQueueInfo',
  ),
  fn(
    'liteServer.getDispatchQueueMessages',
    0xbbfd6439,
    {
      mode: nat,
      id: blockIdExt,
      addr: int256,
      afterLt: uint64,
      maxMessages: int32,
      wantProof: flag(0),
      oneAccount: flag(1),
      messagesBoc: flag(2),
    },
    'liteServer.dispatchQueueMessages',
  ),
  fn(
    'liteServer.nonfinal.getValidatorGroups',
    0xa59915e3,
    workchainAndShard,
    'liteServer.nonfinal.validatorGroups',
  ),
  fn('liteServer.nonfinal.getCandidate', 0x300794de, { id: candidateId }, 'liteServer.nonfinal.candidate'),
  fn(
    'liteServer.nonfinal.getPendingShardBlocks',
    0x5a8ee82c,
    workchainAndShard,
    'liteServer.nonfinal.pendingShardBlocks',
  ),
  fn('liteProxy.getRequestRateLimit', 0xf0f83e86, {}, 'liteProxy.requestRateLimit'),
] as const
