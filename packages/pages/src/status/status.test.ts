import { expect, test } from 'vitest'
import { rangeBar } from './range-bar.ts'
import type { Status } from './status.ts'
import { toStatusView } from './status-view.ts'
import { verdictOf } from './verdict.ts'

const STATUS: Status = {
  at: 1_795_262_700_000,
  version: '0.1.0',
  network: 'sample',
  global_id: -239,
  profile: 'standard',
  database_problem: null,
  head: { seqno: 1000, followed: true },
  newest: { seqno: 1000, utime: 1_795_262_688, unchanged_seconds: 1 },
  first: 1,
  indexed: [{ from: 1, to: 1000 }],
  gaps: [],
  missing: 0,
  rate: { blocks_per_second: 2, seconds_left: null },
  proved: null,
  quarantine: { blocks: 0, transactions: 0, states: 0, versions: 0, ranges: [] },
  watched: null,
  waiting: null,
  servers: [],
  full_nodes: [],
  database: null,
  disk: null,
  process: {
    ...{ uptime_seconds: 1, memory_bytes: 1, event_loop_ms: 0, watching: 0 },
    ...{ requests_per_second: 3.5, p50_ms: 2, p99_ms: null },
  },
  problems: [{ kind: 'block', reason: 'too deep', count: 2, first_seqno: 7, last_seqno: 9 }],
}
const down = {
  name: 'a:1',
  state: 'connecting',
  head: null,
  latency_ms: null,
  archive: null,
  nonfinal: false,
  in_flight: 0,
  faults: { timeouts: 0, rate_limits: 0, wrong_answers: 0, disconnects: 0 },
} as const

test.each<[string, Partial<Status>, string]>([
  ['everything indexed', {}, 'In step'],
  ['a block is being written', { head: { seqno: 1002, followed: true } }, 'In step'],
  ['many blocks behind', { head: { seqno: 1500, followed: true } }, 'Catching up'],
  ['history missing', { missing: 5, first: -4 }, 'In step, backfilling'],
  ['nobody follows the head', { head: { seqno: 1000, followed: false } }, 'Not following'],
  ['a replica does not say', { head: { seqno: 1000, followed: null } }, 'In step'],
  ['no server answers', { servers: [{ ...down, problem: 'refused' }] }, 'Stalled'],
  ['nothing indexed', { newest: null }, 'Starting'],
  ['no head', { head: null }, 'Not started'],
  ['no database', { database_problem: 'it is gone' }, 'Database unreachable'],
])('%s: %s', (_what, change, word) => {
  expect(verdictOf({ ...STATUS, ...change }).word).toBe(word)
})

test('the verdict names the server that does not answer', () => {
  const { text } = verdictOf({ ...STATUS, servers: [{ ...down, problem: 'connection refused' }] })
  expect(text).toContain('a:1 (connection refused)')
})

test('the bar draws ranges to scale, and nothing too thin to be seen', () => {
  const parts = rangeBar({ ...STATUS, indexed: [{ from: 1, to: 500 }], gaps: [{ from: 501, to: 501 }] })
  expect(parts).toEqual([
    { kind: 'indexed', x: 0, width: 500 },
    { kind: 'gap', x: 500, width: 2 },
  ])
})

test('what is in quarantine is listed with its reasons, and requests with their times', () => {
  const { rows, texts } = toStatusView(STATUS)
  expect(rows['problems']).toEqual([['block', '2', '7 to 9', 'too deep']])
  expect([texts['requests'], texts['times']]).toEqual(['3.5 /s', '2.0 ms, –'])
})

const NODE = {
  ...{ id: 'ab'.repeat(32), address: '192.0.2.7:4000', overlays: ['masterchain'], state: 'ready' as const },
  ...{ asked: { short: 1200, block: 30, archive: 4 }, answered: 1230, bytes: 5_400_000 },
  ...{ bytes_per_second: 2_340_000, mean_ms: 41.6 },
}
const FULL_NODES: NonNullable<Status['full_nodes']>[number] = {
  ...{ id: 'cd'.repeat(32), seconds_ago: 3, bytes_in_per_second: 1_200_000, bytes_out_per_second: 40_000 },
  ...{ dht_servers: 31, clock_offset_seconds: -7.5 },
  overlays: [{ name: 'masterchain', members: 140, ready: 48, resting: 2, banned: 1, broadcasts: 9000 }],
  nodes: [NODE, { ...NODE, address: '192.0.2.8:1', state: 'banned', bytes_per_second: null, mean_ms: null }],
}

test('full nodes are shown with their rates, what they were asked, and overlays', () => {
  const view = toStatusView({ ...STATUS, full_nodes: [FULL_NODES] })
  expect(view.hasFullNodes).toBe(true)
  expect([view.texts['nodesTraffic'], view.texts['nodesTable'], view.texts['nodesClock']]).toEqual([
    '1.2 MB/s in, 40 kB/s out',
    '31 servers of the hash table answer',
    'our clock is 8 s fast',
  ])
  expect(view.rows['overlays']).toEqual([['masterchain', '48', '2', '1', '140', '9,000']])
  const asked = ['1,200', '30', '4', '1,230', '5.4 MB']
  expect(view.rows['fullNodes']).toEqual([
    ['192.0.2.7:4000', 'asked', 'masterchain', ...asked, '2.3 MB/s', '42 ms'],
    ['192.0.2.8:1', 'banned', 'masterchain', ...asked, '–', '–'],
  ])
})

test('of several processes the rates are added, and nodes say whose they are', () => {
  const other = { ...FULL_NODES, id: 'ef'.repeat(32), clock_offset_seconds: null, nodes: [NODE] }
  const { texts, rows } = toStatusView({ ...STATUS, full_nodes: [FULL_NODES, other] })
  expect(texts['nodesTraffic']).toBe('2.4 MB/s in, 80 kB/s out')
  expect(rows['overlays']!.map(([name]) => name)).toEqual([
    'masterchain of cdcdcdcd',
    'masterchain of efefefef',
  ])
  expect(rows['fullNodes']).toHaveLength(3)
  expect(toStatusView(STATUS).hasFullNodes).toBe(false)
})

test('errors of servers are shown by class, and how long the disk lasts', () => {
  const faults = { ...down.faults, timeouts: 1, wrong_answers: 2 }
  const disk = { free_bytes: 120e9, bytes_per_day: 3.2e9, days_left: 37.5 }
  const { rows, texts } = toStatusView({ ...STATUS, servers: [{ ...down, problem: 'gone', faults }], disk })
  expect(rows['servers']![0]!.slice(5)).toEqual(['0', '1 time-out, 2 wrong answers', 'gone'])
  expect(texts['disk']).toBe('120 GB free, grows by 3.2 GB a day: full in 37 days')
  const full = { ...disk, days_left: 0.5 }
  expect(toStatusView({ ...STATUS, disk: full }).texts['disk']).toContain('full in less than a day')
})

test('a long list of ranges ends with a count of the rest', () => {
  const indexed = Array.from({ length: 40 }, (_, index) => ({ from: index * 10 + 1, to: index * 10 + 5 }))
  const { rows } = toStatusView({ ...STATUS, indexed })
  expect(rows['ranges']!.length).toBe(13)
  expect(rows['ranges']!.at(-1)![2]).toBe('28 more')
})
