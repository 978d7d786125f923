import { expect, test } from 'vitest'
import { LITE_MODE } from './index.ts'

test('bits of mode without a field in lite_api.tl are those of the node', () => {
  const { blockHeader, blockProof, config, listTransactions, runMethod } = LITE_MODE
  // liteserver.cpp, perform_getBlockProof; mc-config.h, ConfigInfo.
  expect(blockProof.relative).toBe(0x1000)
  expect(config).toEqual({ shardHashes: 8, previousBlocks: 128, capabilities: 512, fromKeyBlock: 0x8000 })
  // liteserver.cpp, make_header_proof and perform_listBlockTransactions.
  expect(blockHeader).toEqual({ stateUpdate: 1, valueFlow: 2, extra: 16, shardHashes: 32 })
  expect([listTransactions.proof, listTransactions.reverse]).toEqual([32, 64])
  expect(runMethod).toEqual({ shardProof: 1, stateProof: 2, result: 4 })
})
