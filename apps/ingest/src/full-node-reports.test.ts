import type { DatabaseHandle } from '@shardwalk/db'
import { silentLogger } from '@shardwalk/observability'
import type { FullNodeSource } from '@shardwalk/sources'
import { expect, test } from 'vitest'
import { FullNodeReports } from './full-node-reports.ts'

test('a report has the rates since the one before, and the twenty nodes that gave most', () => {
  let bytes = { in: 1_000, out: 0 }
  const states = { ready: 3, resting: 1, banned: 0 }
  const node = {
    ...{ id: 'ab', host: '192.0.2.7', port: 4_000, overlays: ['masterchain'], state: 'ready', answered: 2 },
    ...{ asked: { short: 1, block: 2, archive: 0 }, bytes: 5_000, bytesPerSecond: undefined, meanMs: 3.4 },
  }
  const fullNodes = {
    report: () => ({
      ...{ id: 'cd'.repeat(32), bytes, dhtServers: 7, members: { masterchain: 9, basechain: 8 } },
      peers: { masterchain: states, basechain: states },
      broadcasts: { masterchain: { complete: 5 }, basechain: { complete: 4 } },
    }),
    peers: () => Array.from({ length: 30 }, () => node),
  } as unknown as Pick<FullNodeSource, 'report' | 'peers'>
  const reports = new FullNodeReports({ database: {} as DatabaseHandle, log: silentLogger, fullNodes })
  reports.next(10_000)
  bytes = { in: 6_000, out: 500 }
  const { nodes, ...report } = reports.next(12_000)
  const overlay = (name: string, members: number, broadcasts: number) => ({
    ...{ name, members, broadcasts },
    ...states,
  })
  expect(report).toEqual({
    bytes_in_per_second: 2_500,
    bytes_out_per_second: 250,
    dht_servers: 7,
    clock_offset_seconds: null,
    overlays: [overlay('masterchain', 9, 5), overlay('basechain', 8, 4)],
  })
  expect(nodes).toHaveLength(20)
  expect(nodes[0]).toEqual({
    ...{ id: 'ab', address: '192.0.2.7:4000', overlays: ['masterchain'], state: 'ready', answered: 2 },
    ...{ asked: { short: 1, block: 2, archive: 0 }, bytes: 5_000, bytes_per_second: null, mean_ms: 3 },
  })
})
