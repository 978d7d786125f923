import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findWebhook, listWebhooks } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readCommandLine } from '../command-line.ts'
import type { Context } from '../context.ts'
import { webhooksCommand } from './webhooks.ts'

const ACCOUNT = 'UQCJMLDUuDtiA0MfA7nh5QkrSrZ3bwLX3YfzEILLYzb-zGLK'
const RAW = '0:8930B0D4B83B6203431F03B9E1E5092B4AB6776F02D7DD87F31082CB6336FECC'
const OTHER = `0:${'1'.repeat(64)}`

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())
afterEach(() => vi.restoreAllMocks())

/** Runs the command and returns the lines it prints. */
async function run(argv: readonly string[], webhookPrivateTargets = false): Promise<string[]> {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  const program = { commands: { webhooks: webhooksCommand }, version: '', print: () => {} }
  const { options, operands } = readCommandLine(['webhooks', ...argv], program)!
  const settings = { databaseUrl: scratch.url, databaseWaitSeconds: 10, webhookPrivateTargets }
  await webhooksCommand.run({ settings, operands, options } as unknown as Context)
  return lines
}

test('a webhook is added when there is a head, shows its key once, is listed and removed', async () => {
  const add = ['add', 'https://example.org/hook', '--account', ACCOUNT]
  await expect(run(add)).rejects.toMatchObject({
    exitCode: 75,
    message: expect.stringContaining('Nothing is indexed'),
  })
  await scratch.pool.query('insert into indexed_ranges values (1, 100)')
  const [first, secret] = await run([...add, `--account=${RAW},${OTHER}`, '--types', 'actions'])
  expect(first).toMatch(/^Webhook \d+: events after masterchain block 100\./)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const { id } = (await listWebhooks(scratch.db))[0]!
  expect(await findWebhook(scratch.db, id)).toEqual({
    url: 'https://example.org/hook',
    secrets: [secret],
  })
  const lines = await run(['list'])
  expect(lines).toEqual([
    expect.stringContaining('https://example.org/hook'),
    '      actions of 2 accounts; 0 events waiting',
  ])
  expect(lines.join()).not.toContain(secret)
  expect(await run(['retry', String(id)])).toEqual([
    `Webhook ${id} is tried again; 0 events were put off or given up.`,
  ])
  expect(await run(['move', String(id), 'https://example.org/new'])).toEqual([
    `Webhook ${id} sends to https://example.org/new from now on, with the same key, and what waits first.`,
  ])
  expect(await findWebhook(scratch.db, id)).toEqual({ url: 'https://example.org/new', secrets: [secret] })
  await expect(run(['move', String(id), 'http://10.0.0.1/'])).rejects.toThrow('WEBHOOK_PRIVATE_TARGETS')
  await expect(run(['move', 'x', 'https://example.org/'])).rejects.toThrow('a number')
  await expect(run(['move', String(id)])).rejects.toThrow('give one of')
  expect(await run(['remove', String(id)])).toEqual([`Webhook ${id} and its waiting events are removed.`])
  expect(await run(['list'])).toEqual(['There are no webhooks.'])
  for (const name of ['test', 'retry', 'discard', 'remove'])
    await expect(run([name, String(id)])).rejects.toThrow(`there is no webhook ${id}`)
  const moved = run(['move', String(id), 'https://example.org/'])
  await expect(moved).rejects.toThrow(`there is no webhook ${id}`)
})

test('what was given up or not kept is listed with its reason until it is retried or discarded', async () => {
  await run(['add', 'https://example.org/hook', '--account', ACCOUNT, '--types', 'transactions'])
  const { id } = (await listWebhooks(scratch.db))[0]!
  const fail = `update webhook_outbox set given_up_at = now(), due_at = null, fault = 'status 400'`
  await scratch.pool.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
     select $1, account_id, 101, 0, 0 from webhook_accounts where webhook_id = $1`,
    [id],
  )
  await scratch.pool.query(fail)
  await scratch.pool.query('update webhooks set full_seqno = 90')
  const again = `"shardwalk webhooks retry ${id}"`
  expect((await run(['list'])).slice(1)).toEqual([
    '      transactions of 1 accounts; 0 events waiting',
    `      1 events were given up, the last one transactions of ${RAW} in block 101: status 400`,
    `      ${again} sends them, "shardwalk webhooks discard ${id}" forgets them`,
    `      suspended, because too many events wait: those after block 90 are not kept until ${again}`,
  ])
  expect(await run(['retry', String(id)])).toEqual([
    `Webhook ${id} is tried again; 1 events were put off or given up.`,
    'Events of masterchain blocks after 90 up to 100 were not kept: /api/v3 has what its receiver missed.',
  ])
  expect((await run(['list'])).slice(1)).toEqual([
    expect.stringMatching(/^ {6}transactions of 1 accounts; 1 events waiting/),
  ])
  await scratch.pool.query(fail)
  expect(await run(['discard', String(id)])).toEqual(['1 events that were given up are removed.'])
  await run(['remove', String(id)])
})

test('a test event goes out at once, and its failure says why', async () => {
  const got: string[] = []
  const server = createServer((request, reply) => {
    request.on('data', (chunk: Buffer) => got.push(chunk.toString()))
    request.on('end', () => reply.writeHead(got.length > 1 ? 503 : 204).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    await run(['add', url, '--account', OTHER], true)
    const { id } = (await listWebhooks(scratch.db))[0]!
    expect(await run(['test', String(id)], true)).toEqual([`${url} accepted a test event with status 204.`])
    expect(JSON.parse(got[0]!)).toMatchObject({ type: 'test', webhook: id })
    await expect(run(['test', String(id)], true)).rejects.toThrow('did not accept a test event: status 503')
    await expect(run(['test', String(id)])).rejects.toThrow('the host is not a public one')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test.each([
  [['add', 'https://example.org/'], /--account: name at least one account/],
  [['add', 'https://example.org/', '--account', 'EQ'], /not an address: "EQ"/],
  [['add', 'https://example.org/', '--account', OTHER, '--types', 'trace'], /"trace" is none of/],
  [
    ['add', 'http://127.0.0.1/', '--account', OTHER],
    /not a public one; private addresses need WEBHOOK_PRIVATE/,
  ],
  [['add', 'ftp://example.org/', '--account', OTHER], /cannot be a webhook/],
  [['remove', 'all'], /the id of a webhook is a number/],
  [['list', '1'], /give one of/],
  [[], /give one of/],
])('%j is refused with the reason', async (argv, message) => {
  await expect(run(argv)).rejects.toThrow(message)
})
