import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Streams } from '../../src/streaming/streams.ts'
import { Client } from '../client.ts'
import { axeProblems, CHROMIUM, excessWidth, launch, PHONE, WIDE, watch } from './browser.ts'
import { FOUND, KINDS, type Kind } from './found-in-chain.ts'

/** Pages by name; what is found in the chain is looked up. */
const PAGES = [
  ...['/', '/nothing/here', '/blocks', '/block/latest', '/search?q=nonsense'],
  ...['/docs', '/docs/GET/api/v3/transactions', '/docs/POST/api/emulate/v1/emulateTrace', '/docs/streaming'],
  ...KINDS,
]

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  let scratch: ScratchDatabase
  let client: Client
  let browser: Browser
  let streams: Streams | undefined
  beforeAll(async () => {
    scratch = await sampleChainDatabase()
    client = await Client.start(scratch, {
      ...{ pages: { detail: 'full', network: 'sample' }, streaming: {} },
      onStreams: (made) => {
        streams = made
      },
    })
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    streams?.close()
    await client?.close()
    await scratch?.close()
  })

  test.each(PAGES)('%s: readable for everybody, at both widths and in both themes', async (name) => {
    const base = client.server.url
    const path = name.startsWith('/') ? name : await FOUND[name as Kind](client)
    for (const viewport of [WIDE, PHONE]) {
      const page = await browser.newPage({ viewport, colorScheme: 'light' })
      const problems = watch(page, base)
      await page.goto(base + path)
      expect([path, viewport.width, await excessWidth(page)]).toEqual([path, viewport.width, 0])
      expect(await axeProblems(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await axeProblems(page, ['color-contrast'])).toEqual([])
      await page.setViewportSize({ width: 320, height: 700 })
      expect(await excessWidth(page)).toBe(0)
      expect(problems).toEqual([])
      await page.close()
    }
  })

  test('the reference leads to every endpoint, and a filter leaves those that are meant', async () => {
    const page = await browser.newPage()
    const problems = watch(page, client.server.url)
    await page.goto(`${client.server.url}/docs`)
    const entries = page.locator('[data-words]')
    const links = await entries.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href')!))
    expect(links.length).toBeGreaterThan(80)
    for (const link of links) {
      const reply = await page.request.get(client.server.url + link)
      expect([link, reply.status()]).toEqual([link, 200])
      expect((await reply.body()).length).toBeLessThan(150_000)
    }
    await page.getByLabel('Filter endpoints').fill('opcode')
    await expect.poll(() => entries.filter({ visible: true }).count()).toBeLessThan(20)
    expect(await entries.filter({ visible: true }).count()).toBeGreaterThan(0)
    expect(problems).toEqual([])
    await page.close()
  })

  test('live events of the sample appear, as an account has them, until they are stopped', async () => {
    const page = await browser.newPage()
    const problems = watch(page, client.server.url)
    await page.goto(`${client.server.url}/docs/streaming`)
    await page.getByRole('button', { name: 'Follow' }).click()
    const entries = page.locator('[data-events-list] li')
    await expect.poll(() => entries.count()).toBeGreaterThan(5)
    await entries.first().locator('summary').click()
    const event = JSON.parse((await entries.first().locator('pre').textContent())!)
    expect(['transactions', 'actions', 'account_state_change', 'jettons_change']).toContain(event.type)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText(/^Stopped after \d+ events\.$/).waitFor()
    await page.getByLabel('Accounts, one a line').fill('EQ')
    await page.getByRole('button', { name: 'Follow' }).click()
    await page.getByText('invalid address: EQ').waitFor()
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
    await page.close()
  })

  test('without JavaScript, live events are a command for a shell', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${client.server.url}/docs/streaming`)
    expect(await page.locator('pre').textContent()).toMatch(/^curl -N http:.+\/api\/streaming\/v2\/sse/)
    expect(await page.getByRole('button', { name: 'Follow' }).isVisible()).toBe(false)
    expect(await page.locator('noscript .notice').isVisible()).toBe(true)
    await context.close()
  })

  test('an answer of the console', async () => {
    const page = await browser.newPage()
    const problems = watch(page, client.server.url)
    await page.goto(`${client.server.url}/docs/console`)
    await page.locator('[data-path="/api/v3/masterchainInfo"]').click()
    await page.getByRole('button', { name: 'Try it out' }).click()
    await page.getByRole('button', { name: 'Execute' }).click()
    await page.getByText('Server response').first().waitFor()
    expect(problems).toEqual([])
    await page.close()
  })

  test('keyboard: a slash goes to the search, which leads to the block', async () => {
    const page = await browser.newPage()
    await page.goto(`${client.server.url}/blocks`)
    await page.keyboard.press('/')
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/block/-1/8000000000000000/5')
    await page.close()
  })

  test('the status changes without a reload, and a hidden tab keeps no stream', async () => {
    const page = await browser.newPage()
    await page.goto(client.server.url)
    const before = await page.locator('[data-live=at]').textContent()
    await expect.poll(() => page.locator('[data-live=at]').textContent()).not.toBe(before)
    const watching = async () =>
      (await client.get<{ process: { watching: number } }>('/status.json')).body.process
    expect((await watching()).watching).toBe(1)
    await page.close()
    await expect.poll(async () => (await watching()).watching).toBe(0)
  })

  test('without JavaScript the page shows the same and reloads itself', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(client.server.url)
    expect(await page.locator('[data-live=newest]').textContent()).toMatch(/^\d+$/)
    expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toBe('5')
    await context.close()
  })

  test('keyboard: the first stop skips to the content, the theme can be chosen', async () => {
    const page = await browser.newPage({ colorScheme: 'light' })
    await page.goto(client.server.url)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('skip')
    await page.locator('[data-theme-switch]').press('Enter')
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await page.reload()
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await page.close()
  })
})
