import { openBlock } from '@shardwalk/blocks'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { formatBlockId } from '@shardwalk/model'
import { Recording } from '@shardwalk/sources'
import { waitFor } from '@shardwalk/testkit'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type Replay, type ReplayOptions, startReplay } from './index.ts'

const HEAD = 241
const PENDING = 'liteServer.nonfinal.getPendingShardBlocks'
const GROUPS = 'liteServer.nonfinal.getValidatorGroups'

const recording = await Recording.open('fixtures/chain')
const opened: { close(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const item of opened.splice(0).reverse()) await item.close()
})
afterAll(() => recording.close())

async function start(
  options: Partial<ReplayOptions> = {},
): Promise<{ replay: Replay; pool: LiteServerPool }> {
  const replay = await startReplay({ recording, startSeqno: HEAD, ...options })
  const { liteServers } = parseGlobalConfig(replay.globalConfig)
  const pool = new LiteServerPool({ servers: liteServers, asksNonfinal: true })
  opened.push(replay, pool)
  await pool.getMasterchainInfo()
  return { replay, pool }
}

const askedFor = (replay: Replay) => [PENDING, GROUPS].map((name) => replay.queryCounts.get(name) ?? 0)

test('a server that refuses is asked once a connection', async () => {
  const { replay, pool } = await start()
  await waitFor('one question of each kind', () => askedFor(replay).every((count) => count === 1))
  expect([pool.nonfinalServers(PENDING), pool.nonfinalServers(GROUPS)]).toEqual([[], []])
  await expect(pool.query(PENDING, { mode: 0 }, { once: true })).rejects.toThrow('query is not allowed')
  replay.dropConnections()
  await waitFor('a second question', () => askedFor(replay)[1] === 2)
})

test('a server that reports signed blocks hands out those that the masterchain commits next', async () => {
  const { replay, pool } = await start({ nonfinal: true })
  await waitFor('a server that answers', () => pool.nonfinalServers(GROUPS).length === 1)
  expect(pool.servers()[0]!.nonfinal).toBe(true)
  expect(await pool.query(PENDING, { mode: 0 })).toEqual({ signedBlocks: [], candidates: [] })
  const last = recording.step(HEAD + 1)!.shards.at(-1)!
  replay.setSigned(HEAD + 1)
  const { signedBlocks } = await pool.query(PENDING, { mode: 0 })
  expect(signedBlocks.map(formatBlockId)).toContain(formatBlockId(last.id))
  const { data } = await pool.query('liteServer.getBlock', { id: last.id })
  expect(data.equals(await recording.read(last))).toBe(true)
  const { groups } = await pool.query(GROUPS, { mode: 0 })
  const [candidate] = groups.flatMap((group) => group.candidates)
  const found = await pool.query('liteServer.nonfinal.getCandidate', { id: candidate!.id })
  expect(
    openBlock({ id: candidate!.id.blockId, bytes: found.data }, { verify: 'cells' }).skeleton.id.seqno,
  ).toBe(candidate!.id.blockId.seqno)
  replay.setHead(HEAD + 1)
  expect(await pool.query(PENDING, { mode: 0 })).toEqual({ signedBlocks: [], candidates: [] })
})

test('a dishonest server has blocks that are never final, or false bytes, which exclude it', async () => {
  const { replay, pool } = await start({ nonfinal: true, wrongAnswers: { nonfinal: 'never-final' } })
  replay.setSigned(HEAD + 1)
  const { signedBlocks } = await pool.query(PENDING, { mode: 0 })
  const [id] = signedBlocks
  const { data } = await pool.query('liteServer.getBlock', { id: id! })
  openBlock({ id: id!, bytes: data }, { verify: 'cells' })
  const real = recording.step(HEAD + 1)!.shards.map((block) => formatBlockId(block.id))
  expect(real).not.toContain(formatBlockId(id!))
  for (const nonfinal of ['wrong-data', 'other-block'] as const) {
    const other = await start({ nonfinal: true, wrongAnswers: { nonfinal } })
    other.replay.setSigned(HEAD + 1)
    await waitFor('a server that answers', () => other.pool.nonfinalServers(PENDING).length === 1)
    const [claimed] = (await other.pool.query(PENDING, { mode: 0 })).signedBlocks
    await expect(other.pool.query('liteServer.getBlock', { id: claimed! }, { once: true })).rejects.toThrow()
    expect(other.pool.nonfinalServers(PENDING)).toEqual([])
  }
})
