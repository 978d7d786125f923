import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { eventSchemas, profileRules } from '@shardwalk/api-schema'
import { listWebhooks, retryWebhook } from '@shardwalk/db'
import { programArguments } from '@shardwalk/testkit/compiled-program'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebhookDispatcher } from '../src/outbox/index.ts'
import { deliveryServices } from './delivery-services.ts'
import { FollowedChain, RAW } from './followed-chain.ts'
import { type Json, Receiver } from './receiver.ts'

const START = 80
const MIDDLE = 110
const END = 140

let chain: FollowedChain
beforeAll(async () => {
  chain = await FollowedChain.open({ start: START, end: END })
})
afterAll(() => chain?.close())

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
  await chain.query('truncate webhooks, webhook_accounts, webhook_secrets, webhook_outbox')
})

const receive = async (...args: Parameters<typeof Receiver.open>): Promise<Receiver> => {
  const receiver = await Receiver.open(...args)
  opened.push(receiver)
  return receiver
}

function dispatch(allowPrivate = true): WebhookDispatcher {
  const { db } = chain.scratch
  const dispatcher = new WebhookDispatcher({ services: deliveryServices(db), db, allowPrivate, pollMs: 60 })
  opened.push(dispatcher)
  return dispatcher
}

const waiting = async (id: number): Promise<number> =>
  (await listWebhooks(chain.scratch.db)).find((one) => one.id === id)!.waiting

async function untilDelivered(id: number): Promise<void> {
  await expect.poll(() => waiting(id), { timeout: 120_000, interval: 50 }).toBe(0)
}

const { webhook: EVENTS } = eventSchemas(profileRules('standard'))
const listed = (events: readonly Json[], name: string): Json[] =>
  events.flatMap((event) => event[name] as Json[])
const sorted = (texts: readonly unknown[]): unknown[] => [...texts].sort()

test('everything that happens to the accounts is sent in order, by two processes at once', async () => {
  let refused = 0
  const receiver = await receive(({ event }, reply) => {
    // Every fifth event needs a second attempt.
    const isFirst = receiver.received.filter((one) => one.event['id'] === event['id']).length === 1
    const number = Number.parseInt((event['id'] as string).split('_')[2]!.slice(0, 8), 16)
    if (isFirst && number % 5 === 0) {
      refused++
      reply.statusCode = 500
    }
    reply.end()
  })
  const { id } = await chain.add(receiver.url, START)
  dispatch()
  dispatch()
  for (let seqno = START; seqno < MIDDLE; seqno += 5) {
    await chain.index(seqno, seqno + 5)
    await retryWebhook(chain.scratch.db, id)
  }
  await expect
    .poll(() => retryWebhook(chain.scratch.db, id).then(() => waiting(id)), { timeout: 120_000 })
    .toBe(0)
  expect(refused).toBeGreaterThan(0)

  await expectAllTransactions(receiver)
  await expectAllStates(receiver)
  await expectAllActions(receiver)
  await expectLastBalances(receiver)
  expectOrderOfBlocks(receiver)
  // As the AsyncAPI document describes them.
  for (const event of receiver.accepted) EVENTS[event['type'] as keyof typeof EVENTS].parse(event)
})

/** Rows of the blocks that were indexed, and of the accounts: `$1` to `$3` of the query. */
const indexed = (query: string) => chain.query(query, [START, MIDDLE, chain.accounts])

async function expectAllTransactions(receiver: Receiver): Promise<void> {
  const transactions = await indexed(
    `select encode(t.hash, 'base64') as hash from transactions t join accounts a on a.id = t.account_id
     where t.mc_block_seqno between $1 + 1 and $2 and ${RAW} = any ($3)`,
  )
  const delivered = listed(receiver.of('transactions'), 'transactions')
  expect(transactions.length).toBeGreaterThan(50)
  expect(sorted(delivered.map((one) => one['hash']))).toEqual(sorted(transactions.map((row) => row['hash'])))
}

async function expectAllStates(receiver: Receiver): Promise<void> {
  const states = await indexed(
    `select distinct on (t.account_id, t.mc_block_seqno) ${RAW} as account, t.mc_block_seqno as seqno,
       encode(t.state_hash_after, 'base64') as hash
     from transactions t join accounts a on a.id = t.account_id
     where t.mc_block_seqno between $1 + 1 and $2 and ${RAW} = any ($3)
     order by t.account_id, t.mc_block_seqno, t.lt desc`,
  )
  const stateOf = (event: Json) =>
    `${event['account']} ${event['mc_block_seqno']} ${(event['state'] as Json)['hash']}`
  expect(sorted(receiver.of('account_state_change').map(stateOf))).toEqual(
    sorted(states.map((row) => `${row['account']} ${row['seqno']} ${row['hash']}`)),
  )
}

async function expectAllActions(receiver: Receiver): Promise<void> {
  const actions = await indexed(
    `select distinct encode(x.action_id, 'base64') as id, ${RAW} as account from actions x
     cross join unnest(account_ids_in(x.account_ids)) i(id) join accounts a on a.id = i.id
     where x.trace_mc_seqno_end between $1 + 1 and $2 and ${RAW} = any ($3) and x.ancestor_type is null`,
  )
  const delivered = receiver
    .of('actions')
    .flatMap((event) => (event['actions'] as Json[]).map((action) => ({ action, account: event['account'] })))
  expect(actions.length).toBeGreaterThan(10)
  expect(sorted(delivered.map(({ action, account }) => `${account} ${action['action_id']}`))).toEqual(
    sorted(actions.map((row) => `${row['account']} ${row['id']}`)),
  )
}

async function expectLastBalances(receiver: Receiver): Promise<void> {
  const wallets = await indexed(
    `select ${RAW} as address, w.balance, w.lt from jetton_wallets w join accounts a on a.id = w.account_id
     join transactions t on t.account_id = w.account_id and t.lt = w.lt
     join accounts o on o.id = w.owner_id
     where t.mc_block_seqno between $1 + 1 and $2 and (${RAW} = any ($3)
       or o.workchain || ':' || upper(encode(o.address, 'hex')) = any ($3))`,
  )
  const jettons = receiver.of('jettons_change').map((event) => event['jetton'] as Json)
  const last = new Map(jettons.map((jetton) => [jetton['address'], jetton['balance']]))
  expect(wallets.length).toBeGreaterThan(0)
  for (const { address, balance } of wallets) expect(last.get(address), String(address)).toBe(balance)
}

function expectOrderOfBlocks(receiver: Receiver): void {
  for (const account of chain.accounts)
    for (const type of ['transactions', 'account_state_change', 'actions', 'jettons_change']) {
      const seqnos = receiver
        .of(type)
        .filter((event) => event['account'] === account)
        .map((event) => event['mc_block_seqno'] as number)
      expect(seqnos, `${account} ${type}`).toEqual([...seqnos].sort((a, b) => a - b))
    }
}

/** One event for each account and block after `after`, of the webhooks that have the account. */
const queueTransactions = (after: number) =>
  chain.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
     select distinct w.webhook_id, t.account_id, t.mc_block_seqno, 0, 0 from transactions t
     join webhook_accounts w on w.account_id = t.account_id
     where t.mc_block_seqno > $1 and t.mc_block_seqno <= $2`,
    [after, MIDDLE],
  )

test('a receiver that does not reply costs the others nothing', async () => {
  let [open, mostOpen] = [0, 0]
  const keep = (_: unknown, reply: ServerResponse) => {
    mostOpen = Math.max(mostOpen, ++open)
    reply.on('close', () => open--)
  }
  const [slow, quick] = [await receive(keep), await receive()]
  const slowIds = []
  for (let i = 0; i < 5; i++) slowIds.push((await chain.add(slow.url, START)).id)
  const { id } = await chain.add(quick.url, START)
  await queueTransactions(START)
  const before = await waiting(id)
  expect(before).toBeGreaterThan(50)
  dispatch()
  await untilDelivered(id)
  expect(quick.accepted).toHaveLength(before)
  // Each has its four places, however long nothing comes of them; on a busy machine some are taken again.
  expect(mostOpen).toBe(4 * slowIds.length)
  expect(slow.accepted).toEqual([])
})

test('a webhook that is moved sends all that its former receiver did not accept to the new one', async () => {
  const gone = await receive((_, reply) => reply.writeHead(410).end())
  const receiver = await receive()
  const { id } = await chain.add(gone.url, START)
  await queueTransactions(START)
  const all = await waiting(id)
  dispatch()
  await expect.poll(() => gone.received.length, { timeout: 60_000 }).toBeGreaterThan(0)
  await chain.query('update webhooks set given_up_at = now()')
  await retryWebhook(chain.scratch.db, id, receiver.url)
  await untilDelivered(id)
  expect(receiver.accepted).toHaveLength(all)
  expectOrderOfBlocks(receiver)
})

test('private addresses get nothing unless the operator allows it', async () => {
  const receiver = await receive()
  const { id } = await chain.add(receiver.url, START, { accounts: chain.accounts.slice(0, 1) })
  await chain.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
     select $1, account_id, $2::int, 0, 0 from webhook_accounts`,
    [id, START + 1],
  )
  const strict = dispatch(false)
  await expect
    .poll(async () => (await listWebhooks(chain.scratch.db))[0]!.fault, { timeout: 60_000 })
    .toBe('the host is not a public one')
  await strict.close()
  expect(receiver.received).toEqual([])
  expect(await waiting(id)).toBe(1)
})

test('what a clock of the database wrote that has been set back since is delivered', async () => {
  const receiver = await receive()
  const { id } = await chain.add(receiver.url, START, { accounts: chain.accounts.slice(0, 1) })
  await queueTransactions(START)
  await chain.query(`update webhooks set next_at = now() + interval '5 h'`)
  await chain.query(`update webhook_outbox set due_at = now() + interval '5 h'`)
  dispatch()
  await untilDelivered(id)
  expect(receiver.accepted.length).toBeGreaterThan(1)
})

test('an event whose text cannot be written is given up, and the next of its account is sent', async () => {
  const receiver = await receive()
  const { id } = await chain.add(receiver.url, START, { accounts: chain.accounts.slice(0, 1) })
  // A balance that nothing says the owner of.
  await chain.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt, wallet_id)
     select $1, account_id, $2::int, 3, 0, -1 from webhook_accounts where webhook_id = $1`,
    [id, START + 1],
  )
  await queueTransactions(START + 1)
  const all = await waiting(id)
  expect(all).toBeGreaterThan(1)
  dispatch()
  const faults = () => chain.query('select fault from webhook_outbox where fault is not null')
  await expect.poll(faults).toEqual([{ fault: expect.stringMatching(/^cannot be written: TypeError/) }])
  expect(receiver.received).toEqual([])
  // What the passing of time does.
  await chain.query(
    `update webhook_outbox set failing_since = failing_since - interval '16 minutes', due_at = now()
     where fault is not null`,
  )
  await untilDelivered(id)
  expect(receiver.accepted).toHaveLength(all - 1)
  expect((await listWebhooks(chain.scratch.db))[0]).toMatchObject({
    ...{ dead: 1, failures: 0, lastDead: { type: 'jettons_change', mcBlockSeqno: START + 1 } },
  })
})

/** A process that delivers. */
class Deliverer {
  private constructor(private readonly child: ChildProcess) {}

  static async start(): Promise<Deliverer> {
    const program = await programArguments(fileURLToPath(new URL('./deliverer.ts', import.meta.url)))
    const env = { ...process.env, DATABASE_URL: chain.scratch.url }
    const stdio = ['ignore', 'inherit', 'inherit'] as const
    return new Deliverer(spawn(process.execPath, program, { env, stdio: [...stdio] }))
  }

  kill(): void {
    this.child.kill('SIGKILL')
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    this.kill()
    await once(this.child, 'exit')
  }
}

test('processes that are killed between delivery and acknowledgement lose nothing', async () => {
  const KILLS = isLong ? 3 : 1
  let killed = 0
  let deliverer: Deliverer | undefined
  const receiver = await receive((_, reply) => {
    // The receiver has the event, and the sender never learns of it.
    if (killed < KILLS && receiver.received.length % 7 === 3) {
      killed++
      deliverer!.kill()
      reply.destroy()
    } else reply.end()
  })
  const { id } = await chain.add(receiver.url, START, { types: ['transactions'] })
  await chain.query(
    `insert into webhook_outbox (webhook_id, account_id, mc_seqno, type, lt)
     select distinct $1::int, t.account_id, t.mc_block_seqno, 0, 0 from transactions t
     join webhook_accounts w on w.account_id = t.account_id where t.mc_block_seqno between $2 + 1 and $3`,
    [id, START, MIDDLE],
  )
  const all = await waiting(id)
  for (let run = 0; run <= KILLS; run++) {
    // What the passing of time does.
    await chain.query(
      'update webhook_outbox set leased_until = now(), due_at = now() where leased_until is not null',
    )
    const before = killed
    deliverer = await Deliverer.start()
    opened.push(deliverer)
    if (run < KILLS) await expect.poll(() => killed, { timeout: 60_000 }).toBeGreaterThan(before)
    else await untilDelivered(id)
    await deliverer.close()
  }
  expect(killed).toBe(KILLS)
  expect(receiver.accepted).toHaveLength(all)
  // Some were delivered more than once.
  expect(receiver.received.length).toBeGreaterThan(all)
  const firsts = new Map(
    receiver.received.map(({ event }) => [event['id'], event]).reverse() as [unknown, Json][],
  )
  expect(firsts.size).toBe(all)
  for (const account of chain.accounts) {
    const seqnos = receiver.accepted
      .filter((event) => event['account'] === account)
      .map((event) => event['mc_block_seqno'] as number)
    expect(seqnos).toEqual([...seqnos].sort((a, b) => a - b))
  }
})
