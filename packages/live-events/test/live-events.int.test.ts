import { profileRules } from '@shardwalk/api-schema'
import { admitPending, INDEXED_CHANNEL, PENDING_STATE, TRACE_STATE } from '@shardwalk/db'
import { silentLogger } from '@shardwalk/observability'
import type { Pending } from '@shardwalk/pending'
import { AccountCache, readIndexedHead } from '@shardwalk/queries'
import { UNLIMITED } from '@shardwalk/replies'
import { EventHub, type Frame, Outbox, Subscriber, V2 } from '@shardwalk/streaming'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type EventServices, LiveEvents } from '../src/index.ts'
import { sendMissedEvents } from '../src/missed-events.ts'

const HEAD = 300
/** Beyond all blocks. */
const LAST = 2 ** 31 - 1
const PATIENCE_MS = 60_000
const RAW = "a.workchain || ':' || upper(encode(a.address, 'hex'))"

let scratch: ScratchDatabase
let services: EventServices
let events: LiveEvents

beforeAll(async () => {
  scratch = await classifiedChain()
  await moveTo(HEAD)
  services = servicesOver(scratch)
  events = new LiveEvents({ services, protocols: [V2], pool: scratch.pool })
  await published(HEAD)
})
afterAll(async () => {
  events?.close()
  await scratch?.close()
})

const query = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows

/** Blocks up to this one are committed. */
async function moveTo(seqno: number): Promise<void> {
  await query('update indexed_ranges set to_seqno = $1', [seqno])
  await query('select pg_notify($1, $2)', [INDEXED_CHANNEL, String(seqno)])
}

const published = (seqno: number) =>
  vi.waitFor(() => expect(events.follower.position).toBe(seqno), { timeout: PATIENCE_MS })

function servicesOver({ db }: ScratchDatabase): EventServices {
  const accounts = new AccountCache()
  const own: EventServices = {
    ...{ db, log: silentLogger, node: () => undefined, pending: undefined },
    context: async () => ({
      ...{ db, accounts, rules: profileRules('standard'), size: UNLIMITED, testOnly: false },
      settings: { noAddressBook: false, noMetadata: false },
      marketplaces: new Map(),
      reading: (read) => read(db),
    }),
    indexedRange: async () => (await readIndexedHead(db)).range,
    pinned: async () => own,
  }
  return own
}

/** A connection that accepts everything, and the frames that it was sent. */
function connect(hub: EventHub, body: object) {
  const frames: Frame[] = []
  const transport = { send: (frame: Frame) => frames.push(frame) > 0, close: () => {} }
  const subscriber = new Subscriber(new Outbox(transport), V2)
  hub.subscribers.add(subscriber)
  hub.subscribers.change(subscriber, V2.readSubscription(body, { wire: 'sse' }))
  return { subscriber, frames }
}

interface StreamEvent {
  readonly error?: string
  readonly trace_external_hash_norm?: string
  readonly transactions?: readonly { readonly hash: string }[]
}
const eventsIn = (frames: readonly Frame[]): StreamEvent[] => frames.map(({ text }) => JSON.parse(text))
const hashesIn = (frames: readonly Frame[]): string[] =>
  eventsIn(frames).flatMap(({ transactions = [] }) => transactions.map(({ hash }) => hash))

/** Transactions of the accounts in the blocks after `from`, up to `to`. */
async function transactionsIn(from: number, to: number, addresses?: readonly string[]) {
  const rows = await query(
    `select ${RAW} as raw, encode(t.hash, 'base64') as hash
     from transactions t join accounts a on a.id = t.account_id
     where t.mc_block_seqno > $1 and t.mc_block_seqno <= $2 order by t.lt`,
    [from, to],
  )
  const own = rows.filter(({ raw }) => addresses === undefined || addresses.includes(raw))
  return {
    addresses: [...new Set<string>(own.map(({ raw }) => raw))].slice(0, 100),
    hashes: own.map(({ hash }): string => hash).sort(),
  }
}

test('transactions of the accounts, and of no others, are sent as their blocks are committed', async () => {
  const { addresses } = await transactionsIn(HEAD, HEAD + 10)
  const { subscriber, frames } = connect(events.hub, { types: ['transactions'], addresses })
  await moveTo(HEAD + 10)
  await published(HEAD + 10)
  const { hashes } = await transactionsIn(HEAD, HEAD + 10, addresses)
  expect(hashes.length).toBeGreaterThan(10)
  const received = new Set(hashesIn(frames))
  expect([...received]).toEqual(expect.arrayContaining(hashes))
  // Events are snapshots of traces, of which the accounts have transactions in other blocks too.
  const own = await transactionsIn(0, LAST, addresses)
  expect(own.hashes).toEqual(expect.arrayContaining([...received]))
  expect(events.positionOf(subscriber)).toBe(HEAD + 10)
  events.hub.subscribers.remove(subscriber)
})

test('a trace that is stored to its end is sent once, however many of its blocks follow', async () => {
  const from = events.follower.position!
  const [trace] = await query(
    `select r.trace_id, coalesce(r.external_hash_norm, r.external_hash, r.trace_id) as key,
       r.mc_seqno_end as seqno, count(distinct t.mc_block_seqno)::int as blocks
     from traces r join transactions t on trace_id_of(t.piece) = r.trace_id
     where r.state = 0 and r.mc_seqno_start > $1 group by 1, 2, 3 order by 4 desc, 3 limit 1`,
    [from],
  )
  expect(trace.blocks).toBeGreaterThan(3)
  const accounts = await query(
    `select distinct ${RAW} as raw from transactions t join accounts a on a.id = t.account_id
     where trace_id_of(t.piece) = $1`,
    [trace.trace_id],
  )
  const addresses = accounts.map(({ raw }): string => raw)
  const { subscriber, frames } = connect(events.hub, { types: ['transactions'], addresses })
  await moveTo(trace.seqno)
  await published(trace.seqno)
  const key = trace.key.toString('base64')
  const own = eventsIn(frames).filter((event) => event.trace_external_hash_norm === key)
  expect(own).toHaveLength(1)
  events.hub.subscribers.remove(subscriber)
})

test('who comes back gets what it missed, has no position until then, and goes on', async () => {
  const from = events.follower.position!
  const { addresses } = await transactionsIn(from - 10, from + 10)
  const { subscriber, frames } = connect(events.hub, { types: ['transactions'], addresses })
  events.resume(subscriber, from - 10, 'client')
  expect(events.positionOf(subscriber)).toBeUndefined()
  await moveTo(from + 10)
  await published(from + 10)
  await expect.poll(() => events.positionOf(subscriber), { timeout: PATIENCE_MS }).toBe(from + 10)
  const { hashes } = await transactionsIn(from - 10, from + 10, addresses)
  expect([...new Set(hashesIn(frames))]).toEqual(expect.arrayContaining(hashes))
  events.hub.subscribers.remove(subscriber)
})

test('what was not indexed cannot be sent, and who asks for it gets the reason', async () => {
  const { from } = (await services.indexedRange())!
  await events.checkResume(from)
  await expect(events.checkResume(from - 1)).rejects.toThrow(`resume_from ${from - 1} is not indexed`)
  const { subscriber, frames } = connect(events.hub, { types: ['transactions'], addresses: [ANY] })
  events.resume(subscriber, from - 1, 'client')
  await expect.poll(() => frames.length, { timeout: PATIENCE_MS }).toBe(1)
  expect(eventsIn(frames)[0]!.error).toContain(`${from - 1} is not indexed`)
  events.hub.subscribers.remove(subscriber)
})

test('who was told of later blocks by a server that is ahead gets what is new here', async () => {
  const { to } = (await services.indexedRange())!
  await events.checkResume(to + 1000)
  await expect(events.checkResume(to + 1001)).rejects.toMatchObject({
    ...{ status: 400, message: expect.stringContaining(`resume_from ${to + 1001} is far beyond `) },
    indexed: { to },
  })
  const { addresses } = await transactionsIn(to, to + 10)
  const { subscriber, frames } = connect(events.hub, { types: ['transactions'], addresses })
  events.resume(subscriber, to + 1000, 'client')
  await moveTo(to + 10)
  await published(to + 10)
  const { hashes } = await transactionsIn(to, to + 10, addresses)
  await expect.poll(() => events.positionOf(subscriber), { timeout: PATIENCE_MS }).toBe(to + 10)
  expect([...new Set(hashesIn(frames))]).toEqual(expect.arrayContaining(hashes))
  events.hub.subscribers.remove(subscriber)
})

const ANY = `0:${'A'.repeat(64)}`

/** What is sent to a connection that resumes while messages are pending. */
async function missedSince(from: number, body: object): Promise<readonly StreamEvent[]> {
  const hub = new EventHub({ now: () => 0, describe: async () => undefined, rest: async () => {} })
  const { subscriber, frames } = connect(hub, body)
  await sendMissedEvents({
    services: { ...services, pending: { db: scratch.db } as Pending },
    ...{ hub, subscriber, from, to: HEAD, expect: () => {} },
    inTurn: (read) => read(),
  })
  return eventsIn(frames)
}

test('a trace of which more is expected is not sent as final to who receives the rest', async () => {
  const [row] = await query(
    `select r.trace_id, r.mc_seqno_start as seqno, r.external_hash_norm as hash, a.id, ${RAW} as raw
     from traces r join transactions t on t.hash = r.trace_id join accounts a on a.id = t.account_id
     where r.state = 0 and r.external_hash_norm is not null and r.mc_seqno_end <= $1
     order by r.mc_seqno_end desc, r.trace_id limit 1`,
    [HEAD],
  )
  const { trace_id, seqno, hash, id, raw } = row
  await query(`update traces set state = ${TRACE_STATE.indexOf('pending')} where trace_id = $1`, [trace_id])
  const message = { hashNorm: hash, hash, boc: Buffer.alloc(1), account: raw, accountId: id }
  expect(await admitPending(scratch.db, message)).toBe('admitted')
  await query('update pending_traces set state = $1', [PENDING_STATE.indexOf('pending')])
  const received = async (finality: string) => {
    const body = { types: ['transactions'], addresses: [raw], min_finality: finality }
    const missed = await missedSince(seqno - 1, body)
    return missed.map((event) => event.trace_external_hash_norm)
  }
  expect(await received('finalized')).toContain(hash.toString('base64'))
  expect(await received('pending')).not.toContain(hash.toString('base64'))
})
