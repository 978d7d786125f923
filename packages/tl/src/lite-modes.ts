/**
 * Bits of `mode` in queries of lite servers, by subject. Encoding sets those of optional fields that are
 * present. Source: lite_api.tl; where it has no field for a bit, node, validator/impl/liteserver.cpp.
 */
export const LITE_MODE = {
  lookupBlock: { bySeqno: 1, byLt: 2, byUtime: 4 },
  /** Parts of the header that the proof shows. */
  blockHeader: { stateUpdate: 1, valueFlow: 2, extra: 16, shardHashes: 32 },
  /** `relative`: the proof uses nothing newer than the newer of the two blocks, whatever the head is. */
  blockProof: { target: 1, relative: 0x1000 },
  /** `fromKeyBlock`: from the last key block at or before the id, which needs no state. */
  config: { shardHashes: 8, previousBlocks: 128, capabilities: 512, fromKeyBlock: 0x8000 },
  /** `publishers`: the proof shows them; `noData`: the answer has hashes only. */
  libraries: { publishers: 1, noData: 2 },
  listTransactions: { account: 1, lt: 2, hash: 4, proof: 32, reverse: 64, after: 128, metadata: 256 },
  runMethod: { shardProof: 1, stateProof: 2, result: 4 },
} as const
