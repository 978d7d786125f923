import { Builder, parseBoc } from '@shardwalk/cells'
import type { DecodedMessage } from '@shardwalk/model'
import { onlyTransactions } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { packDescription, unpackDescription } from '@shardwalk/tlb'
import { loadTransaction } from '@ton/core'
import { describe, expect, test } from 'vitest'
import { decodeBlock } from '../src/index.ts'
import { coreCells, expectTransaction } from './core-oracle.ts'
import { blockIndex, hex, rawBlock } from './fixtures.ts'

describe.each(blockIndex.filter((entry) => entry.transactions > 0))('$file', (entry) => {
  const raw = rawBlock(entry)
  const block = decodeBlock(raw)

  test('decodes every field of transactions and messages as @ton/core does', () => {
    // All else, @ton/core takes long to read and is not asked about.
    const cells = coreCells(isLong ? raw.bytes : onlyTransactions(raw.bytes))
    for (const tx of block.transactions)
      expectTransaction(tx, loadTransaction(cells.get(hex(tx.hash))!.beginParse()))
  })

  test('packs descriptions without loss, below 100 bytes on average', () => {
    let total = 0
    for (const { description } of block.transactions) {
      const packed = packDescription(description)
      total += packed.length
      expect(unpackDescription(packed)).toEqual(description)
    }
    expect(total / block.transactions.length).toBeLessThan(100)
  })

  test('has normalised hashes as TEP-467 defines them', () => {
    for (const { inMsg } of block.transactions) {
      if (inMsg?.kind !== 'external_in') continue
      expect(hex(normalised(inMsg))).toBe(hex(inMsg.hashNorm ?? inMsg.hash))
    }
  })
})

/** TEP-467, implemented independently over built cells. */
function normalised(message: DecodedMessage): Buffer {
  const body = parseBoc(message.body)
  const head = new Builder()
    .storeUint(0b1000, 4)
    .storeAddress(message.destination)
    .storeUint(0, 4)
    .storeUint(0b01, 2)
  return head.storeRef(body.cell(body.root)).endCell().hash()
}
