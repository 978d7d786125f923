import { enqueueForClassifier } from '@shardwalk/db'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import { toEnvironment } from '@shardwalk/settings'
import type { Context } from '../context.ts'
import { joinDatabase, migrateDatabase, withDb } from '../database.ts'
import { runForeground } from '../process.ts'
import type { Command } from './index.ts'
import { rangeOperands } from './processes.ts'

export const ACTIONS_PROCESS = 'apps/classify/src/worker.ts'
const CLASSIFY = 'apps/classify/src/main.ts'

export const actionsCommand: Command = {
  help: 'Only the process that turns complete traces into actions, against DATABASE_URL. Several may run against one database.',
  run: (context) =>
    onDatabase(context, (databaseUrl) =>
      runForeground(ACTIONS_PROCESS, [], toEnvironment({ ...context.settings, databaseUrl })),
    ),
}

export const reclassifyCommand: Command = {
  usage: '<from> <to>',
  help: 'Have the traces that ended in a range of masterchain blocks classified again by the running actions process. Actions stay until new ones replace them.',
  async run(context) {
    const range = rangeOperands(context.operands)
    return onDatabase(context, async (url) => {
      const count = await withDb(url, ({ pool }) => enqueueForClassifier(pool, range))
      console.log(`${count} traces will be classified again`)
      return EXIT.done
    })
  },
}

export const classifyCommand: Command = {
  usage: '<file>...',
  help: 'Print what happened in traces that lie in files, one JSON line per file. Asks no database and no network.',
  run: (context) => runForeground(CLASSIFY, context.operands, {}),
}

async function onDatabase(context: Context, use: (url: string) => Promise<ExitCode>): Promise<ExitCode> {
  const database = await joinDatabase(context)
  try {
    await migrateDatabase(database.url)
    return await use(database.url)
  } finally {
    await database.stop()
  }
}
