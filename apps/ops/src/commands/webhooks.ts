import { parseAddress } from '@shardwalk/cells'
import {
  type DatabaseHandle,
  type DeadEvent,
  deleteWebhook,
  discardDead,
  findHeadRange,
  findWebhook,
  insertWebhook,
  listWebhooks,
  type Retried,
  retryWebhook,
  rotateSecret,
  WEBHOOK_TYPES,
  type WebhookStatus,
  type WebhookType,
} from '@shardwalk/db'
import { formatRawAddress } from '@shardwalk/model'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import { checkTarget, postEvent } from '@shardwalk/webhooks'
import { listOption, type Options, textOption } from '../command-options.ts'
import type { Context } from '../context.ts'
import { existingDatabase, usingDatabase } from '../operators-database.ts'
import { CommandError, messageOf } from '../outcome.ts'
import { webhookState } from '../status-report.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'

const USAGE =
  'webhooks add <url> --account <address> [--types <types>], webhooks list, ' +
  'webhooks test|retry|discard|remove <id>, webhooks move <id> <url>, webhooks rotate <id> [--keep <time>]'
const MAX_WEBHOOKS = 100
const MAX_ACCOUNTS = 10_000

export const webhooksCommand: Command = {
  usage:
    'add <url> --account <address> [--types <types>] | list | test|retry|discard|remove <id> | ' +
    'move <id> <url> | rotate <id> [--keep <time>]',
  uses: ['Storage', 'API', 'Logs'],
  help:
    'Manage webhooks: URLs to which events of accounts are posted, signed. --account may be given several ' +
    `times; --types are ${WEBHOOK_TYPES.join(', ')}, by default all. move sends everything, and what ` +
    'waits, to another URL. rotate makes a new key, beside which the former signs for --keep, by default ' +
    '1d. See docs/webhooks.md.',
  options: { account: 'list', types: 'list', keep: 'value' },
  reads: true,
  async run(context) {
    const action = readAction(context)
    return usingDatabase(existingDatabase(context), ({ url }) => withDb(url, action))
  },
}

type Action = (database: DatabaseHandle) => Promise<ExitCode>

/** Options of this command, and what they belong to. */
const BELONGS_TO: Readonly<Record<string, string>> = { account: 'add', types: 'add', keep: 'rotate' }

function refuseOptionsOfOthers(name: string | undefined, options: Options): void {
  for (const [option, owner] of Object.entries(BELONGS_TO))
    if (options[option] !== undefined && name !== owner)
      throw new CommandError(`--${option} belongs to "webhooks ${owner}"`)
}

/** Parses the operands before a database is opened. */
function readAction({ operands: [name, ...operands], options, settings }: Context): Action {
  refuseOptionsOfOthers(name, options)
  const target = { allowPrivate: settings.webhookPrivateTargets }
  const [first, second] = operands
  if (name === 'list' && operands.length === 0) return list
  if (name === 'move' && first !== undefined && second !== undefined && operands.length === 2) {
    const id = readId(first)
    checkUrl(second, target)
    return (database) => move(database, id, second)
  }
  if (first === undefined || operands.length > 1) throw new CommandError(`give one of: ${USAGE}`)
  if (name === 'add') {
    const wanted = readWanted(first, options, target)
    return (database) => add(database, wanted)
  }
  const act = ACTS.get(name ?? '')
  if (!act) throw new CommandError(`give one of: ${USAGE}`)
  const id = readId(first)
  const how = { ...target, keepSeconds: readKeep(options) }
  return (database) => act(database, id, how)
}

function readId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`the id of a webhook is a number, not "${text}"`)
  return Number(text)
}

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 }
const MAX_KEEP_SECONDS = 30 * 86_400

/** How long a former key is kept. Seconds. */
function readKeep(options: Options): number {
  const given = textOption(options, 'keep') ?? '1d'
  const [, digits, unit = ''] = /^(\d{1,6})([mhd])$|^0$/.exec(given) ?? [undefined]
  const seconds = given === '0' ? 0 : Number(digits) * SECONDS[unit]!
  if (!(seconds <= MAX_KEEP_SECONDS))
    throw new CommandError(`--keep: a time such as 30m, 12h or 1d, at most 30d, or 0, not "${given}"`)
  return seconds
}

type Wanted = Omit<Parameters<typeof insertWebhook>[1], 'after'>

function checkUrl(url: string, target: { readonly allowPrivate: boolean }): void {
  try {
    checkTarget(url, target)
  } catch (error) {
    const hint = target.allowPrivate ? '' : '; private addresses need WEBHOOK_PRIVATE_TARGETS=on'
    throw new CommandError(`"${url}" cannot be a webhook: ${messageOf(error)}${hint}`)
  }
}

function readWanted(url: string, options: Options, target: { readonly allowPrivate: boolean }): Wanted {
  checkUrl(url, target)
  const accounts = listOption(options, 'account').map((text) => {
    const address = parseAddress(text)
    if (!address) throw new CommandError(`--account: not an address: "${text}"`)
    return address
  })
  if (accounts.length === 0) throw new CommandError('--account: name at least one account')
  if (accounts.length > MAX_ACCOUNTS)
    throw new CommandError(`--account: a webhook has at most ${MAX_ACCOUNTS} accounts`)
  const named = listOption(options, 'types')
  const types = (named.length > 0 ? [...new Set(named)] : WEBHOOK_TYPES) as readonly WebhookType[]
  for (const type of types)
    if (!WEBHOOK_TYPES.includes(type))
      throw new CommandError(`--types: "${type}" is none of ${WEBHOOK_TYPES.join(', ')}`)
  return { url, accounts, types }
}

async function add({ db, pool }: DatabaseHandle, wanted: Wanted): Promise<ExitCode> {
  const head = await findHeadRange(db)
  if (!head) throw new CommandError('Nothing is indexed yet: add webhooks once a block is.', EXIT.tryAgain)
  if ((await listWebhooks(db)).length >= MAX_WEBHOOKS)
    throw new CommandError(`there are ${MAX_WEBHOOKS} webhooks; remove one first`)
  const { id, secret } = await insertWebhook(pool, { ...wanted, after: head.to })
  console.log(
    `Webhook ${id}: events after masterchain block ${head.to}. The key of its signatures, shown only now:`,
  )
  console.log(secret)
  return EXIT.done
}

async function list({ db }: DatabaseHandle): Promise<ExitCode> {
  const webhooks = await listWebhooks(db)
  if (webhooks.length === 0) console.log('There are no webhooks.')
  for (const webhook of webhooks) for (const line of linesOf(webhook)) console.log(line)
  return EXIT.done
}

function linesOf(webhook: WebhookStatus): string[] {
  const { id, url, types, accounts, waiting, oldestSeconds, succeededAt } = webhook
  const indent = ' '.repeat(6)
  const age = waiting === 0 ? '' : `, the oldest for ${Math.round(oldestSeconds)} s`
  const last = succeededAt ? `, last accepted ${succeededAt.toISOString()}` : ''
  return [
    `${String(id).padStart(4)}  ${url}`,
    `${indent}${types.join(', ')} of ${accounts} accounts; ${waiting} events waiting${age}${last}`,
    ...troublesOf(webhook).map((text) => indent + text),
    ...(webhook.formerUntil
      ? [`${indent}signed with the former key too until ${webhook.formerUntil.toISOString()}`]
      : []),
  ]
}

function troublesOf(webhook: WebhookStatus): string[] {
  const { id, failures, failingSince, fault, dead, lastDead, fullSeqno, givenUpAt } = webhook
  if (webhookState(webhook) === 'fine') return []
  const since = failingSince ? ` since ${failingSince.toISOString()}` : ''
  return [
    ...(failures > 0 ? [`failing${since}, ${failures} times in a row: ${fault ?? ''}`] : []),
    ...(givenUpAt
      ? [`given up ${givenUpAt.toISOString()}; events are kept: "shardwalk webhooks retry ${id}"`]
      : []),
    ...(lastDead
      ? [
          `${dead} events were given up, the last one ${nameOf(lastDead)}: ${lastDead.fault}`,
          `"shardwalk webhooks retry ${id}" sends them, "shardwalk webhooks discard ${id}" forgets them`,
        ]
      : []),
    ...(fullSeqno === undefined
      ? []
      : [
          `suspended, because too many events wait: those after block ${fullSeqno} are not kept until ` +
            `"shardwalk webhooks retry ${id}"`,
        ]),
  ]
}

const nameOf = ({ type, account, mcBlockSeqno }: DeadEvent): string =>
  `${type} of ${formatRawAddress(account)} in block ${mcBlockSeqno}`

/** Posts an event of the type `test` at once, from this process. */
async function test(
  { db }: DatabaseHandle,
  id: number,
  target: { readonly allowPrivate: boolean },
): Promise<ExitCode> {
  const webhook = await findWebhook(db, id)
  if (!webhook) throw noSuchWebhook(id)
  const event = `evt_${id}_test_${Date.now()}`
  const body = Buffer.from(JSON.stringify({ id: event, webhook: id, type: 'test' }))
  try {
    const status = await postEvent({ ...webhook, id: event, body }, target)
    console.log(`${webhook.url} accepted a test event with status ${status}.`)
    return EXIT.done
  } catch (error) {
    throw new CommandError(`${webhook.url} did not accept a test event: ${messageOf(error)}`)
  }
}

async function retry({ db }: DatabaseHandle, id: number): Promise<ExitCode> {
  const retried = await retryWebhook(db, id)
  if (!retried) throw noSuchWebhook(id)
  console.log(`Webhook ${id} is tried again; ${retried.events} events were put off or given up.`)
  return noteMissed(retried)
}

async function move({ db }: DatabaseHandle, id: number, url: string): Promise<ExitCode> {
  const retried = await retryWebhook(db, id, url)
  if (!retried) throw noSuchWebhook(id)
  console.log(`Webhook ${id} sends to ${url} from now on, with the same key, and what waits first.`)
  return noteMissed(retried)
}

function noteMissed({ missed }: Retried): ExitCode {
  if (missed)
    console.log(
      `Events of masterchain blocks after ${missed.after} up to ${missed.to} were not kept: /api/v3 ` +
        'has what its receiver missed.',
    )
  return EXIT.done
}

async function rotate({ db }: DatabaseHandle, id: number, { keepSeconds }: How): Promise<ExitCode> {
  const rotated = await rotateSecret(db, id, keepSeconds)
  if (!rotated) throw noSuchWebhook(id)
  const { secret, formerUntil } = rotated
  const former = formerUntil
    ? `signs too until ${formerUntil.toISOString()}: change its receiver until then`
    : 'signs no more'
  console.log(`Webhook ${id} has a new key; the former one ${former}. The new one, shown only now:`)
  console.log(secret)
  return EXIT.done
}

async function discard({ db }: DatabaseHandle, id: number): Promise<ExitCode> {
  if (!(await findWebhook(db, id))) throw noSuchWebhook(id)
  console.log(`${await discardDead(db, id)} events that were given up are removed.`)
  return EXIT.done
}

async function remove({ db }: DatabaseHandle, id: number): Promise<ExitCode> {
  if (!(await deleteWebhook(db, id))) throw noSuchWebhook(id)
  console.log(`Webhook ${id} and its waiting events are removed.`)
  return EXIT.done
}

interface How {
  readonly allowPrivate: boolean
  readonly keepSeconds: number
}

type Act = (database: DatabaseHandle, id: number, how: How) => Promise<ExitCode>

/** What is done with one webhook. */
const ACTS: ReadonlyMap<string, Act> = new Map(Object.entries({ test, retry, rotate, discard, remove }))

const noSuchWebhook = (id: number): CommandError =>
  new CommandError(`there is no webhook ${id}; "shardwalk webhooks list" shows them`)
