import { isFiles } from '@shardwalk/networks'
import type { ExitCode } from '@shardwalk/observability'
import { apiMemory, toEnvironment } from '@shardwalk/settings'
import { openChain, replayConfigPath, startPoint } from '../chain-access.ts'
import type { Context } from '../context.ts'
import { readableDatabase } from '../database.ts'
import { asWriter, existingDatabase, maintainedDatabase, usingDatabase } from '../operators-database.ts'
import { CommandError } from '../outcome.ts'
import { runForeground } from '../process.ts'
import { prepareRoles, processEnvironment } from '../role-urls.ts'
import { WATCHED } from '../silence.ts'
import type { Command } from './index.ts'

const INGEST = 'apps/ingest/src/main.ts'
const API = 'apps/api/src/main.ts'
export const ingestCommand: Command = {
  uses: ['Network and range', 'Storage', 'Ingest', 'Logs'],
  help: 'Run only the ingest process, using DATABASE_URL and REDIS_URL. Several may share a database.',
  run: (context) => asWriter(context, (env) => runOnChain(context, [], env)),
}

export const apiCommand: Command = {
  uses: ['Network and range', 'Storage', 'API', 'Token metadata', 'Logs'],
  help:
    'Run only the API process, using DATABASE_READ_URL or DATABASE_URL. It needs read access and does not ' +
    'migrate.',
  run: (context) =>
    usingDatabase(readableDatabase(context), async (database) => {
      const { settings } = context
      const network = apiNetwork(context)
      const env = database.embedded ? { databaseUrl: (await prepareRoles(database, settings)).reader } : {}
      const own = processEnvironment({ ...settings, ...env, network })
      return runForeground(API, [], { ...own, ...apiMemory(settings, process.env) }, WATCHED)
    }),
}

/** The config of a chain served by a running `start` is a file in its data folder. */
export const apiNetwork = (context: Context): string =>
  context.network.kind === 'recording' ? replayConfigPath(context) : context.settings.network

export const repairCommand: Command = {
  usage: '<from> <to> | --quarantined',
  uses: ['Network and range', 'Storage', 'Ingest', 'Logs'],
  help:
    'Index a range of masterchain blocks again: its rows are deleted and rewritten in one transaction. ' +
    'With --quarantined: the blocks with something in quarantine.',
  options: { quarantined: ['switch', 'the blocks with something in quarantine, instead of a range'] },
  reads: true,
  async run(context) {
    const { operands, options, settings } = context
    const isQuarantined = options['quarantined'] === true && operands.length === 0
    const args = isQuarantined ? ['quarantined'] : rangeArguments(context)
    return usingDatabase(maintainedDatabase(context), async (database) => {
      const { writer } = await prepareRoles(database, settings)
      const env = processEnvironment({ ...settings, databaseUrl: writer })
      return runOnChain(context, ['repair', ...args], env)
    })
  },
}

export const verifyCommand: Command = {
  usage: '<from> <to>',
  uses: ['Network and range', 'Storage', 'Ingest', 'Logs'],
  help:
    'Fetch an indexed range again and compare it with the tables. Exit code 1: there are differences, ' +
    'which are listed; 2: there are none, but parts of the range are in quarantine.',
  reads: true,
  async run(context) {
    const args = ['verify', ...rangeArguments(context)]
    return usingDatabase(existingDatabase(context), ({ url }) =>
      runOnChain(context, args, toEnvironment({ ...context.settings, databaseUrl: url })),
    )
  },
}

function rangeArguments({ operands }: Context): readonly [from: string, to: string] {
  const { from, to } = rangeOperands(operands)
  return [String(from), String(to)]
}

/** Runs the ingest process on the chain of the context. */
async function runOnChain(
  context: Context,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ExitCode> {
  const chain = await openChain(context)
  try {
    return await runForeground(INGEST, args, { ...env, ...(await chainEnv(context, chain.name)) }, WATCHED)
  } finally {
    await chain.close()
  }
}

/** What the tables can hold; mainnet reaches it after decades. */
const MAX_SEQNO = 2 ** 31 - 2

/** Parses `<from> <to>`, or one seqno for both. */
export function rangeOperands(operands: readonly string[]): { readonly from: number; readonly to: number } {
  const [from, to = from] = operands.map((text) => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN))
  if (from === undefined || to === undefined || !(from >= 1 && to >= from) || operands.length > 2)
    throw new CommandError('give a range of masterchain seqnos: <from> <to>, both included')
  if (to > MAX_SEQNO) throw new CommandError(`there is no masterchain block ${to}`)
  return { from, to }
}

async function chainEnv(context: Context, name: string): Promise<Record<string, string>> {
  return {
    NETWORK: name,
    INDEX_FROM: String(await startPoint(context)),
    ...(isFiles(context.network) && { CHAIN_ENDS: '1' }),
  }
}
