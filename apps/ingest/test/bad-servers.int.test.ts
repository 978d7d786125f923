import { type AdnlFaults, CheckedPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { type Replay, startReplay, type WrongAnswers } from '@shardwalk/replay'
import { LiteserverSource, Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checksumsOf, endingAt } from './run-ingest.ts'

/** Short, because it is indexed many times. */
const RANGE = { from: 1, to: isLong ? 90 : 16 }

let recording: Recording
let expected: Awaited<ReturnType<typeof checksumsOf>>

beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const source = endingAt(new RecordingSource(recording), RANGE.to)
  expected = await checksumsOf({ source, range: RANGE })
})
afterAll(() => recording.close())

interface BadServer {
  readonly wrongAnswers?: WrongAnswers
  readonly faults?: AdnlFaults
}

/** Indexes from two honest servers and bad ones. */
async function indexWithBadServers(bad: readonly BadServer[]) {
  const servers: Replay[] = []
  try {
    for (const [index, behavior] of [...bad, {}, {}].entries())
      servers.push(
        await startReplay({
          recording,
          startSeqno: RANGE.to,
          seed: Buffer.alloc(32, index + 1),
          ...behavior,
        }),
      )
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

const BAD: Readonly<Record<string, BadServer>> = {
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

test.runIf(isLong)('three honest servers: the tables are those of the recording', async () => {
  expect(await indexWithBadServers([{}])).toEqual(expected)
})

for (const [name, bad] of Object.entries(BAD))
  test.runIf(isLong)(`one of three servers ${name}: the tables are those of the recording`, async () => {
    expect(await indexWithBadServers([bad])).toEqual(expected)
  })

test('two honest servers, and one bad in each way: the tables are those of the recording', async () => {
  expect(await indexWithBadServers(Object.values(BAD))).toEqual(expected)
})
