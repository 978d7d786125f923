import { sleep } from '@shardwalk/concurrency'
import {
  findNetwork,
  isHeadFollowed,
  listCompleteRanges,
  readIngestStatus,
  readRetainedFrom,
} from '@shardwalk/db'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import { countSeqnos, missingRanges, planWork, type SeqnoRange } from '@shardwalk/pipeline'
import { JobQueue } from '@shardwalk/queue'
import type { Settings } from '@shardwalk/settings'
import { joinDatabase } from '../database.ts'
import { usingDatabase } from '../operators-database.ts'
import { CommandError } from '../outcome.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'
import { rangeOperands } from './processes.ts'

const MAX_OUTSTANDING = 16
const POLL_INTERVAL_MS = 1_000

export const backfillCommand: Command = {
  usage: '<from> <to>',
  uses: ['Network and range', 'Storage', 'Logs'],
  help:
    'Let the running ingest index a range of masterchain blocks, regardless of INDEX_FROM, and wait ' +
    'until it is done. Blocks that lack what was added to WATCH are indexed again.',
  async run(context) {
    const range = rangeOperands(context.operands)
    const { redisUrl, backfill: order } = context.settings
    return usingDatabase(joinDatabase(context), async ({ url }) => {
      const network = await assertIndexable(url, range)
      const queue = await JobQueue.open({ store: redisUrl ? { redisUrl } : { databaseUrl: url }, network })
      return untilIndexed(url, queue, { range, order }).finally(() => queue.close())
    })
  },
}

/** Root hash of the network whose ingest can index the range. Throws `CommandError` if none can. */
async function assertIndexable(url: string, range: SeqnoRange): Promise<Buffer> {
  const network = await withDb(url, ({ db }) => findNetwork(db))
  if (!network) throw new CommandError('No ingest has run on this database yet; start one first.')
  const status = await withDb(url, ({ db }) => readIngestStatus(db))
  if (status && range.to > status.head)
    throw new CommandError(
      `There is no block ${range.to} yet: the newest one that ingest has seen is ${status.head}.`,
      EXIT.tryAgain,
    )
  const retainedFrom = await withDb(url, ({ db }) => readRetainedFrom(db))
  if (retainedFrom !== undefined && range.from < retainedFrom)
    throw new CommandError(
      `Blocks before ${retainedFrom} would be dropped again. Change RETENTION and restart ingest first.`,
    )
  return network
}

interface Wanted {
  readonly range: SeqnoRange
  readonly order: Settings['backfill']
}

/** Queues what is missing of the range, a bounded number of jobs at a time, until nothing is. */
const untilIndexed = (url: string, jobs: JobQueue, { range, order }: Wanted): Promise<ExitCode> =>
  withDb(url, async ({ db }) => {
    if ((await isHeadFollowed(db)) === false)
      console.error('No ingest process follows the head now: this waits until one runs.')
    for (let printed: number | undefined; ; ) {
      const outstanding = await jobs.outstanding('backfill')
      const indexed = await listCompleteRanges(db)
      const missing = countSeqnos(missingRanges(range, indexed))
      if (missing !== printed) console.log(`${missing} masterchain blocks missing`)
      printed = missing
      if (missing === 0) return EXIT.done
      const planned = planWork(
        {
          wanted: range,
          indexed,
          outstanding: outstanding.map(({ job }) => job),
          order: order === 'newest-first' ? order : 'oldest-first',
          gapsAbove: range.to,
        },
        { jobSize: 32, limit: Math.max(0, MAX_OUTSTANDING - outstanding.length) },
      )
      await jobs.add(planned.map(({ from, to }) => ({ name: 'index_history', from, to })))
      await sleep(POLL_INTERVAL_MS)
    }
  })
