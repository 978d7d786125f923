import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { ArchiveNotUsable, FullNodesNotUsable, firstOfArchive, openArchive, openOrigin } from './origin.ts'

test('a complete archive starts at block 1, a partial one at the second block of its newest run', () => {
  expect(firstOfArchive([1, 2, 3])).toBe(1)
  expect(firstOfArchive([7, 8, 9])).toBe(8)
  expect(firstOfArchive([1, 18, 40, 41, 42])).toBe(41)
})

test("the zerostate is found beside the node's packages", async () => {
  const source = await openArchive(join(FIXTURE_CHAIN_FOLDER, 'node-archive'))
  expect(await source.globalVersionAtKeyBlock(await source.zerostateId())).toBeGreaterThan(0)
  await source.close()
})

test('a folder without masterchain blocks is refused permanently', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'shardwalk-archive-'))
  await expect(openArchive(empty)).rejects.toThrow(ArchiveNotUsable)
  rmdirSync(empty)
})

const WITHOUT_TABLE = {
  kind: 'liteservers' as const,
  choice: { kind: 'file' as const, slug: 'own', path: 'own.json' },
  network: { config: { liteServers: [], hardForks: [] }, servers: [] },
  own: undefined,
}
const FILES = { bookFile: 'not-written.json', keyFile: 'not-written' }
const FULL_NODES = { port: 0, wantedPeers: 1, downloadLimit: undefined, ...FILES }
const around = { metrics: noMetrics, log: silentLogger }

test('full nodes without servers that know where they are are refused permanently', async () => {
  const origin = { ...WITHOUT_TABLE, fullNodes: { ...FULL_NODES, hasFallback: false } }
  await expect(openOrigin({ origin, start: 'head' }, around)).rejects.toThrow(FullNodesNotUsable)
})

test('with both, lite servers alone are used where nothing leads to full nodes', async () => {
  const origin = { ...WITHOUT_TABLE, fullNodes: { ...FULL_NODES, hasFallback: true } }
  const { source } = await openOrigin({ origin, start: 'head' }, around)
  expect(source.name).toBe('liteservers')
  await source.close()
})
