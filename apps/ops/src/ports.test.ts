import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { readSettings } from '@shardwalk/settings'
import { expect, test } from 'vitest'
import { claimPorts } from './ports.ts'

const claim = (env: Readonly<Record<string, string>>) => claimPorts(readSettings({ env }).settings)

test('a port that is in use or given twice is named with its setting before anything starts', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const used = String((other.address() as AddressInfo).port)
  try {
    for (const setting of ['API_PORT', 'METRICS_PORT', 'INGEST_PORT', 'ACTIONS_PORT'])
      await expect(claim({ API_PORT: '0', [setting]: used })).rejects.toThrow(
        `Port ${used} on 127.0.0.1 is in use by another program. Stop it, or choose another port: --` +
          setting.toLowerCase().replace('_', '-'),
      )
    await expect(claim({ API_PORT: '0', METADATA_PORT: used })).resolves.toBeGreaterThan(0)
    await expect(claim({ API_PORT: '0', METADATA_PORT: used, METADATA_FETCH: 'on' })).rejects.toThrow(
      'in use',
    )
  } finally {
    other.close()
    await once(other, 'close')
  }
  await expect(claim({ API_PORT: used, INGEST_PORT: used })).rejects.toThrow(
    `API_PORT and INGEST_PORT are both ${used}`,
  )
  await expect(claim({ API_PORT: used, DATABASE_PORT: used })).rejects.toThrow(
    `DATABASE_PORT and API_PORT are both ${used}`,
  )
  expect(await claim({ API_PORT: used, METRICS_PORT: used })).toBe(Number(used))
})

test('an address that this machine does not have is named with its setting', async () => {
  // Of a network for documentation.
  for (const host of ['192.0.2.1', 'no-such-host.invalid'])
    await expect(claim({ API_HOST: host, API_PORT: '0' })).rejects.toThrow(
      new RegExp(`^Cannot listen on ${host}:0 \\(API_HOST\\): `),
    )
})
