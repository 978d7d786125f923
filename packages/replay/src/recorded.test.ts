import { Recording } from '@shardwalk/sources'
import { encodeQuery } from '@shardwalk/tl'
import { expect, test } from 'vitest'
import { LiteService, ReplayChain, readRecordedAnswers } from './index.ts'

const CHAIN = 'fixtures/chain'
/** The clock of the server that was recorded: only getTime and the like show it. */
const RECORDED_NOW = 1795262689

/** Recorded answers that are not reproduced byte for byte, and why. */
const NOT_REPRODUCED: Readonly<Record<string, string>> = {
  'errors.json/getAccountState-bad-workchain':
    'the node sends uninitialised memory as hashes of the invalid shard block; ours are zero',
  'errors.json/sendMessage-not-accepted': 'needs the contract to be run; the message is taken',
  'errors.json/truncated': 'the position is named in our own words',
  'errors.json/trailing': 'the position is named in our own words',
}

/** Get-methods are not run: 49 recorded answers are only given back. */
const RUN_METHOD = 'liteServer.runSmcMethod'

const recording = await Recording.open(CHAIN)
const recorded = await readRecordedAnswers(CHAIN)
// Nothing comes out of the recorded answers themselves: all of it is made from the blocks.
const service = new LiteService(new ReplayChain(recording), {
  now: () => RECORDED_NOW,
  useRecordedAnswers: false,
})

test.each([...recorded.keys()])('%s: every answer is the node’s own, byte for byte', async (file) => {
  const different: string[] = []
  for (const { name, query, answer, function: functionName } of recorded.get(file)!) {
    if (!answer) continue
    if (functionName === RUN_METHOD) continue
    const ours = await service.answer(encodeQuery(Buffer.from(query, 'hex')))
    if (ours?.toString('hex') !== answer) different.push(`${file}/${name}`)
  }
  expect(different).toEqual(Object.keys(NOT_REPRODUCED).filter((key) => key.startsWith(`${file}/`)))
})

test('the recorded answers are 263 in 12 files', () => {
  expect(recorded.size).toBe(12)
  expect([...recorded.values()].flat()).toHaveLength(263)
})
