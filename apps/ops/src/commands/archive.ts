import {
  ArchiveFailed,
  ArchiveRefused,
  archiveRange,
  bringBack,
  type DatabaseHandle,
  listArchive,
  type Moved,
} from '@shardwalk/db'
import { isDiskFull } from '@shardwalk/embedded-postgres'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import type { SeqnoRange } from '@shardwalk/pipeline'
import { textOption } from '../command-options.ts'
import { asOwner } from '../migrate-database.ts'
import { maintainedDatabase, usingDatabase } from '../operators-database.ts'
import { CommandError, messageOf } from '../outcome.ts'
import { withPassword } from '../url-password.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'
import { rangeOperands } from './processes.ts'

export const archiveCommand: Command = {
  usage: '[<from> <to>]',
  uses: ['Storage', 'Logs'],
  options: {
    to: [
      'value',
      'postgres:// URL of a database on another server, which then holds the partitions; others on this ' +
        'machine may read a password in it: leave it to PGPASSWORD, PGPASSFILE or ~/.pgpass',
    ],
    back: ['switch', 'bring the partitions back'],
  },
  help:
    'Move the partitions of masterchain blocks to another PostgreSQL server (--to), oldest first, or bring ' +
    'them back (--back), while the database is in use. Without a range: list what was moved. ' +
    'Interrupted, it goes on when it is run again. See docs/scaling.md.',
  reads: true,
  async run(context) {
    const { operands, options } = context
    const to = textOption(options, 'to')
    const isBack = options['back'] === true
    const range = operands.length > 0 ? rangeOperands(operands) : undefined
    if (range ? isBack === (to !== undefined) : isBack || to !== undefined)
      throw new CommandError('give a range with --to <URL> or --back, or nothing to list what was moved')
    if (to !== undefined && !(/^postgres(ql)?:\/\//.test(to) && URL.canParse(to)))
      throw new CommandError('--to: give a URL that begins with postgres://')
    const url = to && withPassword(to)
    const work = (handle: DatabaseHandle) => (range ? moveRange(handle, range, url) : list(handle))
    return usingDatabase(maintainedDatabase(context), (database) =>
      withDb(database.url, work, { statementTimeoutMs: 0 }),
    )
  },
}

async function list(handle: DatabaseHandle): Promise<ExitCode> {
  for (const { from, to, server, state } of await listArchive(handle))
    console.log(`lt ${from} to ${to}: ${state}, ${server}`)
  return EXIT.done
}

/** `url`: undefined to bring it back. */
async function moveRange(handle: DatabaseHandle, range: SeqnoRange, url?: string): Promise<ExitCode> {
  const begun = performance.now()
  const onDone = (moved: Moved) => console.log(lineOf(moved, performance.now() - begun))
  const moved = await explained(() =>
    url === undefined
      ? bringBack(handle, range, { onDone })
      : archiveRange(handle, { range, url }, { onDone }),
  )
  if (!moved) throw new CommandError('Another process does it already.', EXIT.tryAgain)
  if (moved.length === 0) console.log('There is nothing to move.')
  return EXIT.done
}

const explained = <T>(work: () => Promise<T>): Promise<T> =>
  asOwner('archive', async () => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ArchiveRefused) throw new CommandError(`${sentence(error)}.`)
      if (error instanceof ArchiveFailed) throw new CommandError(`${sentence(error)}.`, EXIT.tryAgain)
      if (!isDiskFull(error)) throw error
      throw new CommandError(
        `A disk is full: ${messageOf(error)}. Nothing is lost; make room and repeat the command.`,
        EXIT.tryAgain,
      )
    }
  })

const sentence = ({ message }: Error): string => message[0]!.toUpperCase() + message.slice(1)

const lineOf = ({ from, to, rows, bytes, left }: Moved, elapsedMs: number): string =>
  `lt ${from} to ${to}: ${rows} rows, ${(bytes / 1e6).toFixed(1)} MB moved; ` +
  `${(elapsedMs / 1000).toFixed(1)} s so far` +
  (left ? `; the copy in schema ${left} of the archive server was left, a former server may read it` : '')
