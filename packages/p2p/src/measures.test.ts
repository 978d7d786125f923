import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClockOffset } from './clock-offset.ts'
import { kernelDrops } from './kernel-drops.ts'

test('the clock is judged by the median of several nodes, the newest answer of each', () => {
  const offset = new ClockOffset()
  for (const date of [1_000, 1_007, 5_000]) offset.add('dishonest', date, 1_000)
  offset.add('a', 1_007, 1_000)
  expect(offset.seconds).toBeUndefined()
  offset.add('b', 1_006, 1_000)
  expect(offset.seconds).toBe(7.5)
  for (let i = 0; i < 100; i++) offset.add(`new ${i}`, 990, 1_000)
  expect(offset.seconds).toBe(-9.5)
})

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
