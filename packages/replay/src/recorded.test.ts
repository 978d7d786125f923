import { Recording } from '@shardwalk/sources'
import { encodeQuery } from '@shardwalk/tl'
import { afterAll, expect, test } from 'vitest'
import { LiteService, ReplayChain, readRecordedAnswers } from './index.ts'

const CHAIN = 'fixtures/chain'
/** Time of the recorded server; only getTime and similar functions show it. */
const RECORDED_NOW = 1795262689

/** Recorded answers that are not reproduced byte for byte, and why. */
const NOT_REPRODUCED: Readonly<Record<string, string>> = {
  'errors.json/getAccountState-bad-workchain':
    'the node sends uninitialised memory as hashes of the invalid shard block; here they are zero',
  'errors.json/truncated': 'the position is worded differently',
  'errors.json/trailing': 'the position is worded differently',
}

/** Get-methods are not run: 49 recorded answers are only played back. */
const RUN_METHOD = 'liteServer.runSmcMethod'

/** Heads of files that were recorded before the final block. */
const RECORDED_AT: Readonly<Record<string, number>> = { 'send-message.json': 524 }

const recording = await Recording.open(CHAIN)
const chain = new ReplayChain(recording)
const recorded = await readRecordedAnswers(CHAIN)
// Recorded answers are not used here: everything is built from the blocks.
const service = new LiteService(chain, {
  now: () => RECORDED_NOW,
  useRecordedAnswers: false,
})

afterAll(() => service.close())

test.each([...recorded.keys()])('%s: every answer equals that of the node byte for byte', async (file) => {
  const different: string[] = []
  chain.setHead(RECORDED_AT[file] ?? recording.last)
  for (const { name, query, answer, function: functionName } of recorded.get(file)!) {
    if (!answer) continue
    if (functionName === RUN_METHOD) continue
    const ours = await service.answer(encodeQuery(Buffer.from(query, 'hex')))
    if (ours?.toString('hex') !== answer) different.push(`${file}/${name}`)
  }
  expect(different).toEqual(Object.keys(NOT_REPRODUCED).filter((key) => key.startsWith(`${file}/`)))
})

test('there are 263 recorded answers in 12 files', () => {
  expect(recorded.size).toBe(12)
  expect([...recorded.values()].flat()).toHaveLength(263)
})
