import { expect, test } from 'vitest'
import type { StatusReport } from '../status-report.ts'
import { statusText } from './status.ts'

const REPORT: StatusReport = {
  network: 'sample',
  global_id: -239,
  head: { seqno: 529, changed_seconds_ago: 60, followed: false },
  newest: { seqno: 528, utime: 1795262688 },
  indexed: [
    { from: 1, to: 100 },
    { from: 200, to: 528 },
  ],
  proved: null,
  retained_from: 90,
  watch: {
    subjects: ['code:ab', 'jetton:0:12'],
    partial: [
      {
        subject: 'code:ab',
        ranges: [
          { from: 1, to: 100 },
          { from: 200, to: 300 },
        ],
      },
    ],
    undecided: 3,
  },
  missing: 100,
  quarantined: { blocks: 0, transactions: 0, states: 0, versions: 0 },
  full_nodes: [],
  contracts: { waiting: 2, impossible: 1 },
  actions: { waiting: 5, waiting_for_contracts: 2, oldest_seconds: 7, changed_accounts: 0, failed: 1 },
  estimated_rows: { transactions: 7637, messages: 6415, accounts: 450 },
  size_bytes: 36_400_000,
  queue: { error: 'no Redis' },
  metadata: {
    fetcher_seconds_ago: 30,
    tasks: [{ type: 'nft_items', waiting: 3, due: 2, failed: 1 }],
    airdrops: { imported: 2, waiting: 1, failed: 1 },
  },
  webhooks: [],
  lite_servers: [
    {
      name: 'a:1',
      state: 'ready',
      faults: { timeouts: 2, rate_limits: 0, wrong_answers: 0, disconnects: 1 },
    },
    {
      name: 'b:2',
      state: 'banned',
      faults: { timeouts: 0, rate_limits: 0, wrong_answers: 1, disconnects: 0 },
    },
  ],
  disk: { free_bytes: 120e9, bytes_per_day: 3.2e9, days_left: 37.5 },
}

test('the newest block shows that a clock is slow', () => {
  const at = (unixTime: number) => statusText(REPORT, unixTime).split('\n')[2]
  expect(at(1_795_262_683)).toBe('newest         528 of 2026-11-21T12:04:48.000Z')
  expect(at(1_795_262_600)).toBe(
    'newest         528 of 2026-11-21T12:04:48.000Z; if that is true, the clock of this machine is ' +
      '88 s slow at least',
  )
})

test('the status shows what is indexed, what is missing, and that the head is not followed', () => {
  expect(statusText(REPORT).split('\n')).toEqual([
    'network        sample (global id -239)',
    'head           529, unchanged for 60 s; not followed: ingest is not running or no source answers',
    'newest         528 of 2026-11-21T12:04:48.000Z',
    'indexed        1-100, 200-528',
    'proved         nothing',
    'kept           from 90 on (RETENTION)',
    'watched        2 of WATCH; 3 traces not decided yet; code:ab lacks 1-100, 200-300 ' +
      '("shardwalk backfill" fills it)',
    'missing        100',
    'quarantined    nothing',
    'contracts      2 waiting for examination; 1 without a known state (table missing_states)',
    'actions        5 traces waiting, 2 of them for the examination of contracts, the oldest for 7 s; ' +
      '1 with basic actions only (table classification_failures)',
    'transactions   about 7637',
    'messages       about 6415',
    'accounts       about 450',
    'size           36 MB',
    'queue          not reachable: no Redis',
    'metadata       3 nft items waiting (2 due, 1 failed before); fetcher active 30 s ago; lists of ' +
      'mintless jettons: 2 imported, 1 waiting (1 failed before)',
    'webhooks       none',
    'lite servers   1 of 2 up; not: b:2; errors of five minutes: 2 time-outs, 1 wrong answers, ' +
      '1 disconnections',
    'disk           120.0 GB free in DATA_DIR; the database grows by 3.2 GB a day at the head; ' +
      'full in 37 days',
  ])
})

test('the status says when indexing falls behind the head', () => {
  const text = statusText({
    ...REPORT,
    head: { seqno: 600, changed_seconds_ago: 0, followed: true },
    newest: { seqno: 528, utime: null },
  })
  expect(text).toContain('head           600, unchanged for 0 s; indexing is 72 blocks behind\n')
})

test('full nodes are shown with overlays, rates and what they were asked', () => {
  const node = {
    ...{ id: 'ab'.repeat(32), address: '192.0.2.7:4000', overlays: ['masterchain'], state: 'ready' as const },
    ...{ asked: { short: 1200, block: 30, archive: 4 }, answered: 1230, bytes: 5_400_000 },
    ...{ bytes_per_second: 2_340_000, mean_ms: 41 },
  }
  const text = statusText({
    ...REPORT,
    full_nodes: [
      {
        ...{ id: 'cd'.repeat(32), seconds_ago: 3, bytes_in_per_second: 1_200_000, bytes_out_per_second: 4e4 },
        ...{ dht_servers: 31, clock_offset_seconds: 7.6 },
        overlays: [
          { name: 'masterchain', members: 140, ready: 48, resting: 2, banned: 1, broadcasts: 9000 },
          { name: 'basechain', members: 70, ready: 20, resting: 0, banned: 0, broadcasts: 9000 },
        ],
        nodes: [{ ...node, bytes: 1_000, bytes_per_second: null, address: '192.0.2.8:1' }, node],
      },
    ],
  })
  expect(text.split('\n').slice(-3)).toEqual([
    'full nodes     48 in the masterchain (2 asked last, 1 banned), 20 in the basechain, 31 servers of the ' +
      'hash table; the clock of this machine is 8 s slow: set it',
    'their rates    1.2 MB/s in, 0.0 MB/s out',
    'most from      192.0.2.7:4000 5.4 MB at 2.3 MB/s (asked 1200 short, 30 blocks, 4 archive); ' +
      '192.0.2.8:1 0.0 MB (asked 1200 short, 30 blocks, 4 archive)',
  ])
})

test('the status is unknown before ingest has run', () => {
  const empty = statusText({ ...REPORT, head: null, newest: null, indexed: [], missing: null })
  expect(empty).toContain(
    'head           not reported by ingest yet\nnewest         nothing is indexed\nindexed        nothing',
  )
  expect(empty).toContain('missing        unknown')
})

test('the quarantine is counted by kind, with the command to try again', () => {
  const text = statusText({ ...REPORT, quarantined: { blocks: 0, transactions: 2, states: 1, versions: 0 } })
  expect(text).toContain(
    'quarantined    0 blocks, 2 transactions, 1 account states (table quarantine; "shardwalk repair ' +
      '--quarantined"',
  )
})

test('webhooks that fail are named with the reason', () => {
  const backlog = {
    waiting: 7,
    dead_letters: 3,
    oldest_seconds: 90,
    failing_since: '2026-11-21T12:04:48.000Z',
  }
  const webhooks = [
    {
      id: 1,
      state: 'fine',
      waiting: 0,
      dead_letters: 0,
      oldest_seconds: 0,
      failing_since: null,
      fault: null,
    },
    { id: 2, state: 'given_up', ...backlog, fault: 'status 500' },
  ] as const
  expect(statusText({ ...REPORT, webhooks })).toContain(
    'webhooks       2, 7 events waiting, the oldest for 90 s, 3 given up; 2 given up (status 500): see ' +
      '"shardwalk webhooks list"',
  )
})

test('what a server of strangers says only appears in the terminal', () => {
  const text = statusText({ ...REPORT, queue: { error: '\u001b[2J\u202eno\nRedis' } })
  expect(text).toContain('not reachable: \\u{1b}[2J\\u{202e}no\\nRedis')
})
