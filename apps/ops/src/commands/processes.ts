import { isFiles } from '@shardwalk/networks'
import type { ExitCode } from '@shardwalk/observability'
import { toEnvironment } from '@shardwalk/settings'
import { openChain, replayConfigPath, startPoint } from '../chain-access.ts'
import type { Context } from '../context.ts'
import { joinDatabase, migrateDatabase, readableDatabase } from '../database.ts'
import { CommandError } from '../outcome.ts'
import { runForeground } from '../process.ts'
import type { Command } from './index.ts'

const INGEST = 'apps/ingest/src/main.ts'
const API = 'apps/api/src/main.ts'
/** In place of a range. */
const QUARANTINED = 'quarantined'

export const ingestCommand: Command = {
  help: 'Run only the ingest process, using DATABASE_URL and REDIS_URL. Several may share a database.',
  run: (context) => onChain(context, []),
}

export const apiCommand: Command = {
  help:
    'Run only the API process, using DATABASE_READ_URL or DATABASE_URL. It needs read access and does not ' +
    'migrate.',
  async run(context) {
    const database = await readableDatabase(context)
    const { settings } = context
    const urls = database.embedded ? { databaseUrl: database.url } : {}
    try {
      return await runForeground(
        API,
        [],
        toEnvironment({ ...settings, ...urls, network: apiNetwork(context) }),
      )
    } finally {
      await database.stop()
    }
  },
}

/** What is served by a running `start` is in a file of its data folder. */
export const apiNetwork = (context: Context): string =>
  context.network.kind === 'recording' ? replayConfigPath(context) : context.settings.network

export const repairCommand: Command = {
  usage: '<from> <to> | --quarantined',
  help:
    'Index a range of masterchain blocks again: its rows are deleted and rewritten in one transaction. ' +
    'With --quarantined: the blocks with something in quarantine.',
  run: (context) =>
    context.operands.join() === QUARANTINED
      ? onChain(context, ['repair', QUARANTINED])
      : rangeTask(context, 'repair'),
}

export const verifyCommand: Command = {
  usage: '<from> <to>',
  help:
    'Fetch an indexed range again and compare it with the tables. Differences are listed and the exit ' +
    'code is 1.',
  run: (context) => rangeTask(context, 'verify'),
}

function rangeTask(context: Context, task: 'repair' | 'verify'): Promise<ExitCode> {
  const { from, to } = rangeOperands(context.operands)
  return onChain(context, [task, String(from), String(to)])
}

/** Runs the ingest process on the chain and database of the context. */
function onChain(context: Context, args: readonly string[]): Promise<ExitCode> {
  return withDatabase(context, async (env) => {
    const chain = await openChain(context)
    try {
      return await runForeground(INGEST, args, { ...env, ...(await chainEnv(context, chain.name)) })
    } finally {
      await chain.close()
    }
  })
}

/** Parses `<from> <to>`, or one seqno for both. */
export function rangeOperands(operands: readonly string[]): { readonly from: number; readonly to: number } {
  const [from, to = from] = operands.map((text) => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN))
  if (from === undefined || to === undefined || !(from >= 1 && to >= from) || operands.length > 2)
    throw new CommandError('give a range of masterchain seqnos: <from> <to>, both included')
  return { from, to }
}

async function withDatabase(
  context: Context,
  use: (env: Record<string, string>) => Promise<ExitCode>,
): Promise<ExitCode> {
  const database = await joinDatabase(context)
  try {
    await migrateDatabase(database.url)
    return await use(toEnvironment({ ...context.settings, databaseUrl: database.url }))
  } finally {
    await database.stop()
  }
}

async function chainEnv(context: Context, name: string): Promise<Record<string, string>> {
  return {
    NETWORK: name,
    INDEX_FROM: String(await startPoint(context)),
    ...(isFiles(context.network) && { CHAIN_ENDS: '1' }),
  }
}
