import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { insertWebhook, listWebhooks } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readCommandLine } from '../command-line.ts'
import type { Context } from '../context.ts'
import { webhooksCommand } from './webhooks.ts'

let scratch: ScratchDatabase
let server: Server
let posted: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = []
let webhook: { readonly id: number; readonly secret: string }
beforeAll(async () => {
  scratch = await scratchDatabase()
  server = createServer(async (request, reply) => {
    posted.push({ headers: request.headers, body: Buffer.concat(await request.toArray()) })
    reply.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  webhook = await insertWebhook(scratch.pool, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    types: ['transactions'],
    accounts: [{ workchain: 0, hash: Buffer.alloc(32, 1) }],
    after: 1,
  })
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await scratch.close()
})
afterEach(() => vi.restoreAllMocks())

/** Runs the command and returns the lines it prints. */
async function run(...argv: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  const program = { commands: { webhooks: webhooksCommand }, version: '', print: () => {} }
  const { options, operands } = readCommandLine(['webhooks', ...argv], program)!
  const settings = { databaseUrl: scratch.url, databaseWaitSeconds: 10, webhookPrivateTargets: true }
  await webhooksCommand.run({ settings, operands, options } as unknown as Context)
  return lines
}

/** Which of the keys an event sent now is signed with, in the order of the signatures. */
async function signersAmong(secrets: readonly string[]): Promise<number[]> {
  posted = []
  await run('test', String(webhook.id))
  const { headers, body } = posted[0]!
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).update(body).digest('base64')}`
  })
  return (headers['webhook-signature'] as string).split(' ').map((one) => signatures.indexOf(one))
}

test('events are signed with the new and the former key until the time for that is over', async () => {
  const { id, secret } = webhook
  const [first, second] = await run('rotate', String(id))
  expect(first).toMatch(/^Webhook \d+ has a new key; the former one signs too until \d{4}-/)
  expect(second).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const secrets = [secret, second!]
  expect(await signersAmong(secrets)).toEqual([1, 0])
  expect((await run('list')).at(-1)).toMatch(/^ {6}signed with the former key too until \d{4}-/)
  const { formerUntil } = (await listWebhooks(scratch.db))[0]!
  expect(formerUntil!.getTime() - Date.now()).toBeGreaterThan(86_300_000)

  await scratch.pool.query('update webhook_secrets set former_until = now()')
  expect(await signersAmong(secrets)).toEqual([1])
  expect((await run('list')).join()).not.toContain('former')

  const [, third] = await run('rotate', String(id), '--keep', '2h')
  expect(await signersAmong([...secrets, third!])).toEqual([2, 1])
  const [ended, last] = await run('rotate', String(id), '--keep', '0')
  expect(ended).toContain('the former one signs no more')
  expect(await signersAmong([...secrets, third!, last!])).toEqual([3])
})

test.each(['31d', '10', '1w', '-1h', ''])('--keep %j is refused before anything changes', async (keep) => {
  await expect(run('rotate', String(webhook.id), `--keep=${keep}`)).rejects.toThrow(/--keep/)
})

test.each([
  ['remove', '--keep=1d'],
  ['list', '--account=x'],
  ['rotate', '--types=actions'],
])('%s %s is refused, because the option belongs to another subcommand', async (name, option) => {
  const id = name === 'list' ? [] : [String(webhook.id)]
  const [given] = option.split('=')
  await expect(run(name, ...id, option)).rejects.toThrow(`${given} belongs to "webhooks `)
  expect(await listWebhooks(scratch.db)).toHaveLength(1)
})

test('a webhook that is not there cannot be given a key', async () => {
  await expect(run('rotate', '999')).rejects.toThrow('there is no webhook 999')
})
