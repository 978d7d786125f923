import { compactPartitions } from '@shardwalk/db'
import { isDiskFull } from '@shardwalk/embedded-postgres'
import { EXIT } from '@shardwalk/observability'
import { asOwner } from '../migrate-database.ts'
import { maintainedDatabase, usingDatabase } from '../operators-database.ts'
import { CommandError, messageOf } from '../outcome.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'

export const compactCommand: Command = {
  uses: ['Storage', 'Logs'],
  help:
    'Rebuild the indexes of finished partitions, each once, while the database is in use: they then take ' +
    'about 30 % less space. See docs/partitions.md.',
  reads: true,
  async run(context) {
    const found = await usingDatabase(maintainedDatabase(context), ({ url }) =>
      asOwner('compact', () => unlessFull(() => compact(url))),
    )
    if (found === undefined) throw new CommandError('Another process does it already.', EXIT.tryAgain)
    if (found === 0) console.log('All finished partitions are compact.')
    return EXIT.done
  },
}

async function unlessFull<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDiskFull(error)) throw error
    throw new CommandError(
      `The disk of the database is full: ${messageOf(error)}. Nothing is lost. An index is built beside ` +
        'the one that it replaces; make room for the largest and run "shardwalk compact" again.',
      EXIT.tryAgain,
    )
  }
}

/** Number of partitions that were not compact; undefined: another process does it. */
async function compact(url: string): Promise<number | undefined> {
  let found = 0
  const isDone = await withDb(
    url,
    ({ pool }) =>
      compactPartitions(pool, {
        onDone: ({ name, before, after }) => {
          found++
          console.log(`${name}: ${megabytes(before)} of indexes are ${megabytes(after)} now`)
        },
      }),
    { statementTimeoutMs: 0 },
  )
  return isDone ? found : undefined
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
