import {
  type ApiKey,
  apiKeyPrefix,
  type Db,
  hashApiKey,
  insertApiKey,
  listApiKeys,
  makeApiKey,
  revokeApiKey,
} from '@shardwalk/db'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import type { Context } from '../context.ts'
import { existingDatabase, migratedDatabase, usingDatabase } from '../operators-database.ts'
import { CommandError } from '../outcome.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'

const USAGE = 'keys create <account> [requests per second] [global id], keys list, keys revoke <id or prefix>'
const DEFAULT_RPS = 10
const MAX_RPS = 100_000

export const keysCommand: Command = {
  usage: 'create <account> [rps] [global id] | list | revoke <id>',
  uses: ['Storage', 'Logs'],
  help:
    'Manage API keys. Without keys the API is open to everyone; with keys, requests without one are ' +
    'limited to ANONYMOUS_RPS.',
  reads: (operands) => !creates(operands),
  async run(context: Context): Promise<ExitCode> {
    const action = readAction(context.operands)
    const opening = creates(context.operands) ? migratedDatabase(context) : existingDatabase(context)
    await usingDatabase(opening, ({ url }) => withDb(url, ({ db }) => action(db)))
    return EXIT.done
  },
}

/** Keys may be made before the first start; to list and to revoke them, something must be there. */
const creates = ([name]: readonly string[]): boolean => name === 'create'

/** Parses the operands before a database is opened. */
function readAction([name, ...operands]: readonly string[]): (db: Db) => Promise<void> {
  if (name === 'create') {
    const options = readCreate(operands)
    return (db) => create(db, options)
  }
  if (name === 'list' && operands.length === 0) return list
  const [key] = operands
  if (name === 'revoke' && key !== undefined && operands.length === 1) return (db) => revoke(db, key)
  throw new CommandError(`give one of: ${USAGE}`)
}

interface CreateOptions {
  readonly account: string
  readonly requestsPerSecond: number
  readonly globalId?: number
}

function readCreate([
  account,
  rps = String(DEFAULT_RPS),
  globalId,
  ...rest
]: readonly string[]): CreateOptions {
  const requestsPerSecond = /^\d+(\.\d+)?$/.test(rps) ? Number(rps) : Number.NaN
  if (!account || rest.length > 0) throw new CommandError(`give one of: ${USAGE}`)
  if (!(requestsPerSecond > 0 && requestsPerSecond <= MAX_RPS))
    throw new CommandError(`requests per second: a number above 0, at most ${MAX_RPS}, not "${rps}"`)
  if (globalId === undefined) return { account, requestsPerSecond }
  if (!/^-?\d{1,10}$/.test(globalId) || Number(globalId) !== (Number(globalId) | 0))
    throw new CommandError(`global id: a number such as -239, not "${globalId}"`)
  return { account, requestsPerSecond, globalId: Number(globalId) }
}

async function create(db: Db, options: CreateOptions): Promise<void> {
  const key = makeApiKey()
  const { id } = await insertApiKey(db, { ...options, keyHash: hashApiKey(key), prefix: apiKeyPrefix(key) })
  console.log(
    `Key ${id} of ${options.account}, ${options.requestsPerSecond} requests per second. Shown only now:`,
  )
  console.log(key)
}

async function list(db: Db): Promise<void> {
  const keys = await listApiKeys(db)
  if (keys.length === 0) console.log('There are no keys: the API is open.')
  for (const key of keys) console.log(lineOf(key))
}

function lineOf({ id, prefix, account, requestsPerSecond, globalId, createdAt, disabledAt }: ApiKey): string {
  const network = globalId === undefined ? '' : `, network ${globalId}`
  const state = disabledAt ? `, revoked ${disabledAt.toISOString()}` : ''
  return (
    `${String(id).padStart(4)}  ${prefix}…  ${account}, ${requestsPerSecond} requests per ` +
    `second${network}, made ${createdAt.toISOString()}${state}`
  )
}

async function revoke(db: Db, which: string): Promise<void> {
  const inForce = (await listApiKeys(db)).filter(({ disabledAt }) => !disabledAt)
  const found = inForce.filter(
    ({ id, prefix }) => String(id) === which || prefix === which || which.startsWith(prefix),
  )
  const [key] = found
  if (!key)
    throw new CommandError(`no key in force is "${apiKeyPrefix(which)}"; "shardwalk keys list" shows them`)
  if (found.length > 1)
    throw new CommandError(`several keys begin with "${apiKeyPrefix(which)}"; give the id`)
  await revokeApiKey(db, key.id)
  console.log(`Key ${key.id} of ${key.account} is revoked.`)
  if (inForce.length === 1) console.log('No key is left: the API is open again.')
}
