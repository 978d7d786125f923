import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClockOffset } from './clock-offset.ts'
import { CorrectedClock } from './corrected-clock.ts'
import { kernelDrops } from './kernel-drops.ts'

test('the clock is judged by the median of several nodes, the newest answer of each', () => {
  const { offset, add } = judged()
  for (const date of [1_000, 1_007, 5_000]) add('dishonest', date)
  add('a', 1_007)
  expect(offset.seconds).toBeUndefined()
  add('b', 1_006)
  expect(offset.seconds).toBe(7.5)
  for (let i = 0; i < 100; i++) add(`new ${i}`, 990)
  expect(offset.seconds).toBe(-9.5)
})

test('a host with many nodes has one vote', () => {
  const { offset, add } = judged()
  for (const host of ['192.0.2.1', '198.51.100.1', '203.0.113.1']) add(host, 1_000)
  for (let port = 1; port < 100; port++) offset.add({ host: '192.0.2.66', port }, 9_000)
  expect(offset.seconds).toBe(0.5)
})

test('what nodes have shown counts for twenty minutes, and until our clock is set', () => {
  const { offset, add, clock } = judged()
  const vote = (date: number) => {
    for (const host of ['a', 'b', 'c']) add(host, date)
  }
  vote(1_100)
  clock.passMs(1_199_000)
  expect(offset.seconds).toBe(100.5)
  clock.passMs(1_000)
  expect(offset.seconds).toBeUndefined()
  vote(2_300)
  expect(offset.seconds).toBe(100.5)
  clock.unix += 100
  expect(offset.seconds).toBeUndefined()
  vote(2_300)
  expect(offset.seconds).toBe(0.5)
})

test('where servers are far off from our clock, time goes by them until it is set', () => {
  const { offset, add, clock } = judged()
  const corrected = new CorrectedClock(clock, offset)
  const vote = (date: number) => {
    for (const host of ['a', 'b', 'c']) add(host, date)
  }
  vote(1_014)
  expect(corrected.unixTime()).toBe(1_000)
  vote(1_060)
  expect(corrected.unixTime()).toBe(1_060.5)
  clock.passMs(500_000)
  expect(corrected.unixTime()).toBe(1_560.5)
  clock.unix += 60
  expect(corrected.unixTime()).toBe(1_560)
})

/** A clock that is at 1,000, and what others show of theirs. */
function judged() {
  const clock = {
    ms: 5_000,
    unix: 1_000,
    now: () => clock.ms,
    unixTime: () => clock.unix,
    passMs(ms: number) {
      clock.ms += ms
      clock.unix += ms / 1_000
    },
  }
  const offset = new ClockOffset(clock)
  return { clock, offset, add: (host: string, date: number) => offset.add({ host, port: 1 }, date) }
}

test('datagrams that the kernel dropped are read from the line of the port', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-drops-'))
  try {
    const table = join(folder, 'udp')
    const line = (port: string, drops: number) =>
      `  10: 00000000:${port} 00000000:0000 07 00000000:00000000 00:00000000 00000000  0  0 1 2 0 ${drops}`
    await writeFile(table, ['   sl  local_address ... drops', line('75F9', 3), line('0075', 44)].join('\n'))
    expect([await kernelDrops(0x75f9, table), await kernelDrops(0x75, table)]).toEqual([3, 44])
    expect([await kernelDrops(1, table), await kernelDrops(1, join(folder, 'none'))]).toEqual([
      ...[undefined, undefined],
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.runIf(process.platform === 'linux')('a socket of this process has a count', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  expect(await kernelDrops(socket.address().port)).toBe(0)
  socket.close()
})
