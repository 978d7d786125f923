import { gzipSync } from 'node:zlib'
import { type FullNodesJson, writeFullNodeReport } from '@shardwalk/db'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong, swept } from '@shardwalk/testkit/runs'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Streams } from '../../src/streaming/streams.ts'
import { Client } from '../client.ts'
import {
  axeProblems,
  CHROMIUM,
  Easel,
  launch,
  PHONE,
  type Shown,
  shortenLists,
  shownAt,
  WIDE,
  watch,
} from './browser.ts'
import { KINDS, type Kind, pathOf } from './found-in-chain.ts'
import { publishBelow } from './prefix-proxy.ts'

/** Pages by path, or by what they are about. */
const PAGES = [
  ...['/', '/nothing/here', '/blocks', '/block/latest', '/search?q=nonsense'],
  ...['/docs', '/docs/GET/api/v3/transactions', '/docs/POST/api/emulate/v1/emulateTrace', '/docs/streaming'],
  ...KINDS,
]
/** The status page has a table of them if there are any. */
const FULL_NODES: FullNodesJson = {
  ...{ bytes_in_per_second: 4_200_000, bytes_out_per_second: 120_000 },
  ...{ dht_servers: 214, clock_offset_seconds: 0.2 },
  overlays: ['masterchain', 'basechain'].map((name) => ({
    ...{ name, members: 1_840, ready: 289, resting: 11, banned: 2, broadcasts: 1_234_567 },
  })),
  nodes: Array.from({ length: 20 }, (_, index) => ({
    ...{ id: 'ab'.repeat(32), address: `198.51.100.${200 + index}:40123`, state: 'resting' as const },
    ...{ overlays: ['masterchain', 'basechain'], asked: { short: 123_456, block: 234_567, archive: 3_456 } },
    ...{ answered: 345_678, bytes: 23_456_789_012, bytes_per_second: 12_345_678, mean_ms: 1_234 },
  })),
}
/** Of these, a page has one and its neighbour the other, unless tests are long. */
const LOOKS = [[PHONE, 'dark'] as const, [WIDE, 'light'] as const]
const ALL_LOOKS = [...LOOKS, [PHONE, 'light'] as const, [WIDE, 'dark'] as const]
const WIDTHS = [WIDE.width, 640, PHONE.width, 320]
/** Of the pages of the explorer, one in this many is opened unless tests are long, the others only read. */
const OPENED_STEP = 3
/** Of a page before compression, and as it is sent. */
const MAX_BYTES = 150_000
const MAX_SENT_BYTES = 80_000

const inChromium = describe.skipIf(!CHROMIUM)

let scratch: ScratchDatabase
let client: Client
let browser: Browser
let base: string
let streams: Streams | undefined
/** For all that needs no page of its own: a new one costs more than what is looked at. */
let one: Page
let problems: string[]
let screen: Easel
let paper: Easel
/** By color scheme, in which an easel stays. */
let easels: Readonly<Record<'dark' | 'light', Easel>>
beforeAll(async () => {
  scratch = await classifiedChain()
  await writeFullNodeReport(scratch.db, Buffer.alloc(32, 1), FULL_NODES)
  // It stays new.
  await scratch.pool.query(`update full_node_reports set reported_at = now() + interval '1 hour'`)
  client = await Client.start(scratch, {
    ...{ pages: { detail: 'full', network: 'sample' }, streaming: {} },
    onStreams: (made) => {
      streams = made
    },
  })
  base = client.server.url
  browser = await launch()
  one = await browser.newPage({ reducedMotion: 'reduce' })
  problems = watch(one, base)
  screen = await Easel.openFramed(browser, 'screen')
  paper = await Easel.openFramed(browser, 'print')
  easels = { dark: await Easel.open(browser), light: await Easel.open(browser) }
  for (const colorScheme of ['dark', 'light'] as const)
    await easels[colorScheme].page.emulateMedia({ colorScheme })
})
afterAll(async () => {
  await browser?.close()
  streams?.close()
  await client?.close()
  await scratch?.close()
})

inChromium('any page', () => {
  test.each(PAGES.map((name, index) => [name, index] as const))(
    '%s: readable for everybody, at every width, in both themes and on paper',
    async (name, index) => {
      const path = await find(name)
      const isOpened = isLong || name.startsWith('/') || index % OPENED_STEP === 0
      const shown: Shown & Partial<Opened> = isOpened ? await open(path) : await shownAt(base + path)
      if (KINDS.includes(name as Kind)) expect(shown.status).toBe(200)
      const body = Buffer.from(shown.body ?? shown.html)
      expect(gzipSync(body).length).toBeLessThan(MAX_SENT_BYTES)
      expect(body.length).toBeLessThan(MAX_BYTES)
      // Themes differ in nothing but colors.
      await screen.show(shown)
      for (const { width, excess, hidden } of await screen.widths(WIDTHS)) {
        expect([path, width, excess]).toEqual([path, width, 0])
        if (width === WIDE.width) expect([path, hidden]).toEqual([path, 0])
      }
      await paper.show(shown)
      await expectPrintable(paper)
      for (const [viewport, colorScheme] of isLong ? ALL_LOOKS : [LOOKS[index % LOOKS.length]!]) {
        const easel = easels[colorScheme]
        await easel.page.setViewportSize(viewport)
        await easel.show(shown)
        expect(await structureOf(easel.page)).toEqual(SOUND)
        await shortenLists(easel)
        expect(await axeProblems(easel)).toEqual([])
      }
      expect(problems.splice(0)).toEqual([])
    },
  )

  test('only the verdict of the status is spoken when it changes', async () => {
    await one.goto(base)
    const live = one.locator('[role=status], [role=alert], [aria-live]')
    expect(await live.count()).toBe(1)
    expect(await live.locator('h1').count()).toBe(1)
  })

  test('the theme can be chosen, and stays', async () => {
    const page = await browser.newPage({ colorScheme: 'light' })
    await page.goto(base)
    await page.locator('[data-theme-switch]').press('Enter')
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await page.reload()
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await page.close()
  })
})

inChromium('the reference', () => {
  test('the reference leads to every endpoint, and a filter leaves those that are meant', async () => {
    await one.goto(`${base}/docs`)
    const entries = one.locator('[data-words]')
    const links = await entries
      .locator('a')
      .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).pathname))
    expect(links.length).toBeGreaterThan(80)
    for (const link of swept(links, 3)) {
      const reply = await fetch(base + link)
      expect([link, reply.status]).toEqual([link, 200])
      expect((await reply.arrayBuffer()).byteLength).toBeLessThan(MAX_BYTES)
    }
    await one.getByLabel('Filter endpoints').fill('opcode')
    await expect.poll(() => entries.filter({ visible: true }).count()).toBeLessThan(20)
    expect(await entries.filter({ visible: true }).count()).toBeGreaterThan(0)
    expect(problems.splice(0)).toEqual([])
  })

  test('live events of the sample appear, as an account has them, until they are stopped', async () => {
    await one.goto(`${base}/docs/streaming`)
    await one.getByRole('button', { name: 'Follow' }).click()
    const entries = one.locator('[data-events-list] li')
    await expect.poll(() => entries.count()).toBeGreaterThan(5)
    await entries.first().locator('summary').click()
    const event = JSON.parse((await entries.first().locator('pre').textContent())!)
    expect(['transactions', 'actions', 'account_state_change', 'jettons_change']).toContain(event.type)
    await one.getByRole('button', { name: 'Stop' }).click()
    await one.getByText(/^Stopped after \d+ events\.$/).waitFor()
    await one.getByLabel('Accounts, one a line').fill('EQ')
    await one.getByRole('button', { name: 'Follow' }).click()
    await one.getByText('invalid address: EQ').waitFor()
    expect(problems.splice(0).filter((problem) => !problem.includes('400'))).toEqual([])
  })

  test('an answer of the console', async () => {
    await one.goto(`${base}/docs/console`)
    await one.locator('[data-path="/api/v3/masterchainInfo"]').click()
    await one.getByRole('button', { name: 'Try it out' }).click()
    await one.getByRole('button', { name: 'Execute' }).click()
    await one.getByText('Server response').first().waitFor()
    expect(problems.splice(0)).toEqual([])
  })
})

inChromium('below a path of a proxy', () => {
  test('status, links, search, console and events work', async () => {
    const proxy = await publishBelow('/a/ton', base)
    const page = await browser.newPage()
    const problems = watch(page, proxy.url)
    const arrive = (glob: string) => page.waitForURL(`${proxy.url}${glob}`)
    await page.goto(`${proxy.url}/`)
    await page.locator('[data-status][data-stale=false]').waitFor()
    expect(await page.evaluate(() => document.styleSheets[0]!.cssRules.length)).toBeGreaterThan(100)
    await page.getByRole('link', { name: 'Blocks', exact: true }).click()
    await arrive('/blocks')
    await page.locator('td a').first().click()
    await arrive('/block/**')
    await page.getByRole('searchbox').fill((await pathOf(scratch, 'transaction: success')).slice(4))
    await page.getByRole('searchbox').press('Enter')
    await arrive('/tx/*')
    await page.locator('.address a').first().click()
    await arrive('/address/*')
    for (const path of ['/docs/GET/api/v3/blocks', '/docs/streaming']) {
      await page.goto(proxy.url + path)
      await page.getByText(`${proxy.url}/api/`).first().waitFor()
    }
    await page.getByRole('button', { name: 'Follow' }).click()
    await page.locator('[data-events-list] li').first().waitFor()
    if (!isLong) await page.route(`${proxy.url}/api/v3/openapi.json`, withOneEndpoint)
    await page.getByRole('link', { name: 'Console' }).click()
    await arrive('/docs/console')
    await page.locator('[data-path="/api/v3/masterchainInfo"]').click()
    await page.getByRole('button', { name: 'Try it out' }).click()
    await page.getByRole('button', { name: 'Execute' }).click()
    const answer = page.locator('.live-responses-table')
    await answer.getByText('"last"').waitFor()
    expect(await page.locator('.request-url').textContent()).toContain(`${proxy.url}/api/v3/masterchainInfo`)
    expect([problems, proxy.strayed]).toEqual([[], []])
    await page.close()
    proxy.close()
  })

  test.each(['/api/v3', '/api/v2/', '/api/streaming/index.html'])(
    'without the pages, %s describes the interface below a path of a proxy, too',
    async (path) => {
      const plain = await Client.start(scratch, { streaming: {}, onStreams: (made) => made.close() })
      const proxy = await publishBelow('/api/ton', plain.server.url)
      const page = await browser.newPage()
      const problems = watch(page, proxy.url)
      await page.goto(proxy.url + path)
      const links = await page
        .locator('nav a:not([href^="#"])')
        .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href))
      const [description] = links
      expect(description).toBe(`${proxy.url}/api/${path.split('/')[2]}/openapi.json`)
      for (const link of links) expect(link.startsWith(`${proxy.url}/`)).toBe(true)
      const card = page
        .locator('section', { has: page.locator('.path', { hasText: /Info$|healthz$/ }) })
        .first()
      await card.getByRole('button', { name: 'Send' }).click()
      await card.locator('.status b').waitFor()
      expect(await card.locator('.status').textContent()).not.toContain('no answer')
      expect([problems, proxy.strayed]).toEqual([[], []])
      await page.close()
      proxy.close()
      await plain.close()
    },
  )
})

inChromium('with the keyboard', () => {
  test('a slash goes to the search, which leads to the block', async () => {
    await one.goto(`${base}/blocks`)
    await one.keyboard.press('/')
    await one.keyboard.type('5')
    await one.keyboard.press('Enter')
    await one.waitForURL('**/block/-1/8000000000000000/5')
  })

  test('every control of an account is reached once, in the order of reading', async () => {
    await one.setViewportSize(WIDE)
    await one.goto(base + (await pathOf(scratch, 'account: jettons')))
    const expected = await one.locator('a:visible, button:visible, input:visible, summary:visible').count()
    const seen: number[] = []
    for (let step = 0; step < expected + 3; step++) {
      await one.keyboard.press('Tab')
      const top = await one.evaluate(() => {
        const active = document.activeElement
        if (!active || active === document.body) return undefined
        return [...document.querySelectorAll('*')].indexOf(active)
      })
      if (top === undefined || seen.includes(top)) break
      seen.push(top)
    }
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen.length).toBeGreaterThanOrEqual(expected)
  })
})

inChromium('without JavaScript', () => {
  test('live events are a command for a shell', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${client.server.url}/docs/streaming`)
    expect(await page.locator('pre').textContent()).toMatch(/^curl -N http:.+\/api\/streaming\/v2\/sse/)
    expect(await page.getByRole('button', { name: 'Follow' }).isVisible()).toBe(false)
    expect(await page.locator('noscript .notice').isVisible()).toBe(true)
    await context.close()
  })

  test('search, account, its tabs and pages, transaction, trace and blocks', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(base)
    expect(await page.locator('[data-live=newest]').textContent()).toMatch(/^\d+$/)
    expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toBe('5')
    const owner = await pathOf(scratch, 'account: jettons')
    await page.getByRole('searchbox').fill(/0:[0-9A-F]{64}/.exec(owner)![0])
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL('**/address/**')
    for (const tab of ['Transactions', 'Jettons', 'NFTs', 'Actions'])
      await page
        .getByRole('navigation', { name: 'Lists' })
        .getByRole('link', { name: tab, exact: true })
        .click()
    await page.locator('td[data-label=Trace] a').first().click()
    await page.waitForURL('**/trace/**')
    await page.locator('ol.nodes a', { hasText: 'transaction' }).first().click()
    await page.waitForURL('**/tx/**')
    await page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Blocks' })
      .click()
    await page.getByRole('link', { name: 'Older' }).click()
    await page.waitForURL('**cursor=**')
    // What needs a script is not there.
    expect(await page.locator('button:visible:not([type=submit])').count()).toBe(0)
    await context.close()
  })
})

async function open(path: string): Promise<Opened> {
  const reply = (await one.goto(base + path))!
  const [body, html] = [await reply.text(), await one.content()]
  return { status: reply.status(), url: one.url(), html, body }
}

const find = (name: string) => (name.startsWith('/') ? name : pathOf(scratch, name as Kind))

const SOUND = {
  ...{ firstStop: 'skip', mains: 1, headings: 1 },
  ...{ tablesWithoutCaption: 0, headersWithoutScope: 0, controlsWithoutName: 0 },
}

/** `html`: as scripts left it. */
interface Opened extends Shown {
  /** As it was sent. */
  readonly body: string
}

/** Of a page that was just shown. */
async function structureOf(page: Page): Promise<typeof SOUND> {
  await page.keyboard.press('Tab')
  return page.evaluate(() => {
    const count = (selector: string) => document.querySelectorAll(selector).length
    const nameless = [...document.querySelectorAll('a, button, input, summary')].filter(
      (one) =>
        !one.closest('svg') &&
        !one.textContent?.trim() &&
        !one.getAttribute('aria-label') &&
        !(one as HTMLInputElement).labels?.length,
    )
    return {
      firstStop: document.activeElement?.className ?? '',
      mains: count('main'),
      headings: count('h1'),
      tablesWithoutCaption: count('table:not(:has(caption))'),
      headersWithoutScope: count('th:not([scope])'),
      controlsWithoutName: nameless.length,
    }
  })
}

/** All others take their time to be shown. */
async function withOneEndpoint(route: Route): Promise<void> {
  const response = await route.fetch()
  const { paths, ...description } = await response.json()
  const path = '/api/v3/masterchainInfo'
  await route.fulfill({ response, json: { ...description, paths: { [path]: paths[path] } } })
}

/** Without what only a screen needs, and nothing wider than the paper. */
async function expectPrintable(paper: Easel): Promise<void> {
  for (const { excess } of await paper.widths([720])) expect(excess).toBe(0)
  expect(await paper.visible('nav, search, button')).toBe(0)
}
