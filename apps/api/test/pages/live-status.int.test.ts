import type { ChildProcess } from 'node:child_process'
import { BatchSink, type EncodedBatch, HeadFollowedMark, writeIngestStatus } from '@shardwalk/db'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { silentLogger } from '@shardwalk/observability'
import { freezeServer, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { TvmPool } from '@shardwalk/tvm'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../src/create-api.ts'
import { listen, type RunningServer } from '../../src/server.ts'
import { forkLiteServer } from '../attack/lite-server.ts'
import { CHROMIUM, launch } from './browser.ts'

const PATIENCE = { timeout: 120_000, interval: 200 }

/** The status page that stays open while things happen. The tests follow each other. */
describe.skipIf(!CHROMIUM)('the status page that is open', () => {
  let scratch: ScratchDatabase
  let batches: readonly EncodedBatch[]
  let mark: HeadFollowedMark
  let liteServer: ChildProcess
  let pool: LiteServerPool
  let server: RunningServer
  let browser: Browser
  let page: Page
  const tvm = new TvmPool()
  beforeAll(async () => {
    scratch = await scratchDatabase()
    batches = await recordedBatches({ to: 33 })
    await commit(1, 20)
    await writeIngestStatus(scratch.db, { head: 20, first: 1 })
    mark = new HeadFollowedMark(scratch.pool)
    await mark.set(true)
    const forked = await forkLiteServer()
    liteServer = forked.liteServer
    const { liteServers, zeroState } = parseGlobalConfig(forked.globalConfig)
    pool = new LiteServerPool({ servers: liteServers, ...(zeroState && { zeroState }) })
    const lite = () => ({ pool, tvm, untrustedTvm: tvm })
    const pages = { detail: 'full', network: 'sample' } as const
    const app = createApi({ db: scratch.db, log: silentLogger, lite, pages })
    server = await listen(app, { host: '127.0.0.1', port: 0 })
    browser = await launch()
    page = await browser.newPage()
    await page.goto(server.url)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close(500)
    await mark?.close()
    await pool?.close()
    await tvm.close()
    liteServer?.kill('SIGKILL')
    await scratch?.close()
  })

  async function commit(from: number, to: number): Promise<void> {
    await new BatchSink(scratch.pool).commitBatches(batches.slice(from - 1, to))
  }
  const live = (name: string) => page.locator(`[data-live=${name}]`).textContent()
  const verdict = async () =>
    `${await page.locator('[data-verdict=word]').textContent()}: ` +
    `${await page.locator('[data-verdict=text]').textContent()}`
  const rows = async (name: string) =>
    (await page.locator(`[data-rows=${name}] tr`).allTextContents()).join('\n')
  const watching = async () => {
    const reply = await fetch(`${server.url}/status.json`)
    return ((await reply.json()) as { process: { watching: number } }).process.watching
  }

  test('says what is indexed and by which server; it is the newest block of API v3', async () => {
    await expect.poll(verdict, PATIENCE).toBe('In step: block 20')
    const reply = await fetch(`${server.url}/api/v3/masterchainInfo`)
    const info = (await reply.json()) as { last: { seqno: number } }
    expect(await live('newest')).toBe(String(info.last.seqno))
    await expect.poll(() => rows('servers'), PATIENCE).toMatch(/up/)
    await expect.poll(() => rows('tables'), PATIENCE).toMatch(/transactions/)
    expect(await page.locator('.range rect.indexed').count()).toBe(1)
  })

  test('shows new blocks without a reload', async () => {
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
    await commit(21, 24)
    await writeIngestStatus(scratch.db, { head: 24, first: 1 })
    await expect.poll(() => live('newest'), PATIENCE).toBe('24')
    await expect.poll(() => page.title(), PATIENCE).toContain('24')
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
  })

  test('a hidden tab ends its stream, and one that is shown again goes on', async () => {
    await expect.poll(watching, PATIENCE).toBe(1)
    const show = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: hidden })
        document.dispatchEvent(new Event('visibilitychange'))
      }, isHidden)
    await show(true)
    await expect.poll(watching, PATIENCE).toBe(0)
    await commit(25, 26)
    await writeIngestStatus(scratch.db, { head: 26, first: 1 })
    await show(false)
    await expect.poll(() => live('newest'), PATIENCE).toBe('26')
    expect(await watching()).toBe(1)
  })

  test('a gap is drawn and listed with its reason, and closes by itself', async () => {
    await commit(31, 33)
    await writeIngestStatus(scratch.db, { head: 33, first: 1 })
    await expect.poll(() => page.locator('.range rect.gap').count(), PATIENCE).toBe(1)
    expect(await rows('ranges')).toMatch(/27304missing; queued/)
    await expect.poll(verdict, PATIENCE).toMatch(/^In step, backfilling: block 33; 4 blocks/)
    await commit(27, 30)
    await expect.poll(() => page.locator('.range rect.gap').count(), PATIENCE).toBe(0)
    await expect.poll(verdict, PATIENCE).toBe('In step: block 33')
  })

  test('a lite server that stands still is named, and forgotten when it moves again', async () => {
    const frozen = freezeServer(liteServer.pid!)
    try {
      await expect
        .poll(verdict, PATIENCE)
        .toMatch(/^Stalled: the lite server does not answer: .*127\.0\.0\.1/)
      await expect.poll(() => rows('servers'), PATIENCE).not.toMatch(/\bup\b/)
      await expect.poll(() => rows('servers'), PATIENCE).toMatch(/\d+ (time-out|disconnection)/)
    } finally {
      frozen.thaw()
    }
    await expect.poll(verdict, PATIENCE).toBe('In step: block 33')
  })

  test('when nobody follows the head, it says so', async () => {
    await mark.set(false)
    await expect.poll(verdict, PATIENCE).toMatch(/^Not following: ingest is not running/)
    await mark.set(true)
    await expect.poll(verdict, PATIENCE).toBe('In step: block 33')
  })

  test('a server that ends is a page that says how old it is', async () => {
    await server.close(0)
    await expect.poll(() => page.locator('[data-status]').getAttribute('data-stale'), PATIENCE).toBe('true')
  })
})
