import { expect, test } from 'vitest'
import {
  type AccountFacts,
  classifyTrace,
  parseTraceFile,
  readTraceFile,
  writeTraceFile,
} from '../src/index.ts'
import { addr, buildTrace } from './build-trace.ts'
import { readTrace, traceNames } from './fixture-files.ts'

test('a trace written to a file and read again gives the same actions', () => {
  for (const name of traceNames()) {
    const { trace, facts } = readTraceFile(readTrace(name))
    const again = parseTraceFile(JSON.stringify(writeTraceFile(trace, facts)))
    expect(classifyTrace(again.trace, again.facts)).toEqual(classifyTrace(trace, facts))
  }
})

test('every fact survives a round trip', () => {
  const offer = { marketplace: addr('MARKET'), nft: addr('ITEM'), owner: null, codeHash: 'code' }
  const known: AccountFacts = {
    jettonWallet: { owner: addr('ALICE'), jetton: addr('USDT') },
    nftItem: {
      index: 2n ** 255n,
      collection: null,
      uri: 'https://nft.fragment.com/1',
      codeHash: 'code',
      isDomain: true,
    },
    nftSale: { ...offer, fullPrice: 5n },
    nftAuction: { ...offer, lastBid: 6n },
    dedustPool: { assets: [null, addr('USDT')] },
    nominatorPool: true,
    multisigOrder: { multisig: addr('MULTISIG'), signers: [addr('ALICE'), addr('BOB')] },
    data: Buffer.from('cell'),
  }
  const { facts } = parseTraceFile(
    JSON.stringify(writeTraceFile(buildTrace('A', []), new Map([[addr('X'), known]]))),
  )
  expect(facts).toEqual(new Map([[addr('X'), known]]))
})
