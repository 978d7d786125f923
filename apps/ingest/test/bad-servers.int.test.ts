import { type AdnlFaults, CheckedPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { type Replay, startReplay, type WrongAnswers } from '@shardwalk/replay'
import { LiteserverSource, Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checksumsOf, endingAt } from './run-ingest.ts'

/** Short, because it is indexed many times. */
const RANGE = { from: 1, to: isLong ? 90 : 24 }

let recording: Recording
let expected: Awaited<ReturnType<typeof checksumsOf>>

beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const source = endingAt(new RecordingSource(recording), RANGE.to)
  expected = await checksumsOf({ source, range: RANGE })
})
afterAll(() => recording.close())

/** Indexes from two honest servers and a bad one. */
async function indexWithBadServer(bad: {
  readonly wrongAnswers?: WrongAnswers
  readonly faults?: AdnlFaults
}) {
  const seed = (byte: number) => Buffer.alloc(32, byte)
  const servers: Replay[] = []
  try {
    servers.push(await startReplay({ recording, startSeqno: RANGE.to, seed: seed(1), ...bad }))
    for (const byte of [2, 3])
      servers.push(await startReplay({ recording, startSeqno: RANGE.to, seed: seed(byte) }))
    const { zeroState } = parseGlobalConfig(servers[0]!.globalConfig)
    const addresses = servers.flatMap((server) => parseGlobalConfig(server.globalConfig).liteServers)
    const pool = new CheckedPool({ servers: addresses, zeroState })
    const source = new LiteserverSource(pool, { zerostateId: zeroState })
    try {
      return await checksumsOf({ source, range: RANGE })
    } finally {
      await source.close()
    }
  } finally {
    await Promise.all(servers.map((server) => server.close()))
  }
}

const BAD: Record<string, { readonly wrongAnswers?: WrongAnswers; readonly faults?: AdnlFaults }> = {
  'is as honest as the others': {},
  'flips a byte of blocks': { wrongAnswers: { block: 'flipped-byte' } },
  'sends another valid block': { wrongAnswers: { block: 'other-block' } },
  'sends the id of another block': { wrongAnswers: { header: 'other-id' } },
  'sends a broken proof': { wrongAnswers: { header: 'broken-proof' } },
  'takes queries and never answers': { wrongAnswers: { stall: true } },
  'is not synchronised': { wrongAnswers: { staleBy: Math.floor(RANGE.to / 2) } },
  'closes in the middle of every third answer': {
    faults: { onQuery: (_query, index) => (index % 3 === 2 ? { kind: 'close', bytes: 100 } : undefined) },
  },
  'accepts connections and says nothing': { faults: { mute: true } },
  'refuses connections': { faults: { refuse: true } },
}
for (const [name, bad] of Object.entries(BAD))
  test(`one of three servers ${name}: the tables are those of the recording`, async () => {
    expect(await indexWithBadServer(bad)).toEqual(expected)
  })
