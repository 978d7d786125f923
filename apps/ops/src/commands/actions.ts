import { rowToJson, writeTraceFile } from '@shardwalk/actions'
import { enqueueForClassifier, findTraceWithFacts } from '@shardwalk/db'
import { terminalJson } from '@shardwalk/model'
import { EXIT } from '@shardwalk/observability'
import { everyTenSeconds } from '../every-ten-seconds.ts'
import { asWriter, maintainedDatabase, replicatedDatabase, usingDatabase } from '../operators-database.ts'
import { CommandError } from '../outcome.ts'
import { runForeground } from '../process.ts'
import { WATCHED } from '../silence.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'
import { rangeOperands } from './processes.ts'

/** The program of the process, relative to the repository. */
export const ACTIONS_PROCESS = 'apps/actions/src/worker.ts'
const CLASSIFY = 'apps/actions/src/main.ts'

export const actionsCommand: Command = {
  uses: ['Storage', 'Actions', 'Logs'],
  help:
    'Run only the process that derives actions from traces, using DATABASE_URL. Several may share a ' +
    'database.',
  run: (context) => asWriter(context, (env) => runForeground(ACTIONS_PROCESS, [], env, WATCHED)),
}

export const reclassifyCommand: Command = {
  usage: '<from> <to>',
  uses: ['Storage', 'Logs'],
  help:
    'Queue the traces that ended in a range of masterchain blocks for reclassification by the running ' +
    'actions process. Old actions remain until they are replaced.',
  reads: true,
  async run(context) {
    const range = rangeOperands(context.operands)
    const onPage = everyTenSeconds(({ seqno, traces }: { seqno: number; traces: number }) =>
      console.log(`${traces} traces queued up to block ${seqno}, from where the command can be continued`),
    )
    return usingDatabase(maintainedDatabase(context), async ({ url }) => {
      const count = await withDb(url, ({ pool }) => enqueueForClassifier(pool, range, { onPage }))
      console.log(`${count} traces will be classified again`)
      return EXIT.done
    })
  },
}

export const classifyCommand: Command = {
  usage: '<file>...',
  uses: ['Logs'],
  help: 'Print the actions of traces in files, one JSON line per file. Needs no database and no network.',
  reads: true,
  run: (context) => runForeground(CLASSIFY, context.operands, {}),
}

export const traceCommand: Command = {
  usage: '<trace id>',
  uses: ['Storage', 'Logs'],
  help:
    'Print a complete trace and the known facts about its contracts as a trace file, for `classify` ' +
    'and for reproducing failures.',
  reads: true,
  async run(context) {
    const id = traceId(context.operands)
    return usingDatabase(replicatedDatabase(context), async ({ url }) => {
      const found = await withDb(url, ({ pool }) => findTraceWithFacts(pool, id))
      if (!found) throw new CommandError('There is no complete trace with this id.')
      console.log(terminalJson(rowToJson(writeTraceFile(found.trace, found.facts))))
      return EXIT.done
    })
  },
}

function traceId([text = '', ...more]: readonly string[]): Buffer {
  const id = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url')
  if (id.length !== 32 || more.length > 0)
    throw new CommandError('Give one trace id: 32 bytes in base64 or hexadecimal.')
  return id
}
