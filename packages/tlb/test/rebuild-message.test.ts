import { parseRoot } from '@shardwalk/cells'
import { generatedChain } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { loadMessage, rebuildMessage } from '../src/index.ts'

const WIDE = 70_000

test('messages between accounts of a workchain beyond 8 bits are rebuilt from their parts', () => {
  const steps = [...generatedChain({ seed: 91, steps: 3, workchains: [WIDE], accounts: 12, rarity: 0.1 })]
  const messages = steps
    .flatMap(({ masterchain, shards }) => [...shards, masterchain])
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ inMsg, outMsgs }) => [...(inMsg ? [inMsg] : []), ...outMsgs])
    .filter(({ source, destination }) => source?.workchain === WIDE && destination?.workchain === WIDE)
  for (const { cell } of messages) {
    const message = loadMessage(cell.slice())
    const parts = {
      ihrDisabled: message.ihrDisabled!,
      bounce: message.bounce!,
      bounced: message.bounced!,
      source: message.source!,
      destination: message.destination!,
      value: message.value!,
      extraCurrencies: message.valueExtraCurrencies,
      ihrFeeOrExtraFlags: message.ihrFeeOrExtraFlags!,
      fwdFee: message.fwdFee!,
      createdLt: message.createdLt!,
      createdAt: message.createdAt!,
      initState: message.initState && parseRoot(message.initState),
      body: parseRoot(message.body),
    }
    expect(rebuildMessage(parts, message.hash)?.hash()).toEqual(cell.hash())
  }
  expect(messages.length).toBeGreaterThan(10)
})
