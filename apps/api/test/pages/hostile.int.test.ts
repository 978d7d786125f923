import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from '../client.ts'
import { CHROMIUM, Easel, excessWidth, launch, PHONE, shownAt, watch } from './browser.ts'
import { type Kind, pathOf } from './found-in-chain.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

const KINDS: readonly Kind[] = [
  ...([
    'account: jettons',
    'account: actions',
    'account: jetton',
    'account: collection',
    'account: NFT',
  ] as const),
  ...(['account: domain', 'trace of 40', 'transaction: success'] as const),
]

/** Longer ones may overflow anywhere; what others try depends on how a page writes any text. */
const LONG_TEXT = 1_000
/** Of the pages, one in this many is looked at with a text, and each with one text in this many. */
const STEP = isLong ? 1 : 3
/** The same of opening them: what else is looked at is a copy. */
const OPENED_STEP = isLong ? 1 : 6

/** Names, symbols and domains of the sample replaced by what strangers may write. */
describe.skipIf(!CHROMIUM)('in Chromium', () => {
  let scratch: ScratchDatabase
  let client: Client
  let browser: Browser
  let page: Page
  let problems: string[]
  let easel: Easel
  let paths: readonly (readonly [Kind, string])[]
  beforeAll(async () => {
    scratch = await classifiedChain()
    client = await Client.start(scratch, { pages: { detail: 'full', network: 'sample' } })
    browser = await launch()
    page = await browser.newPage({ viewport: PHONE })
    problems = watch(page, client.server.url)
    easel = await Easel.openFramed(browser, 'screen')
    paths = await Promise.all(KINDS.map(async (kind) => [kind, await pathOf(scratch, kind)] as const))
  })
  afterAll(async () => {
    await browser?.close()
    await client?.close()
    await scratch?.close()
  })

  async function rename(text: string): Promise<void> {
    const attributes = Object.fromEntries(
      ['name', 'symbol', 'description', 'image', 'decimals', 'uri'].map((name) => [name, text]),
    )
    const content = JSON.stringify(attributes)
    await scratch.pool.query('update jetton_masters set content = $1', [content])
    await scratch.pool.query('update nft_collections set content = $1', [content])
    await scratch.pool.query('update nft_items set content = $1', [content])
    await scratch.pool.query('update dns_entries set domain = $1', [text.slice(0, 120)])
  }

  test.each(Object.entries(HOSTILE_TEXTS).map(([name, text], index) => [name, text, index] as const))(
    '%s: nothing runs, nothing is fetched, nothing overflows',
    async (_, text, index) => {
      await rename(text.slice(0, 20_000))
      for (const [at, [kind, path]] of paths.entries()) {
        const url = client.server.url + path
        if ((at + index) % OPENED_STEP === 0) {
          await page.goto(url)
          expect([kind, await excessWidth(page)]).toEqual([kind, 0])
          expectLow(kind, await heightsIn(page))
        } else if (text.length > LONG_TEXT || (at + index) % STEP === 0) {
          await easel.show(await shownAt(url))
          for (const { excess } of await easel.widths([PHONE.width]))
            expect([kind, excess]).toEqual([kind, 0])
          expectLow(kind, await heightsIn(easel.frame))
        }
      }
      expect(problems.splice(0)).toEqual([])
    },
  )
})

/** A text is as high as a few lines. */
function expectLow(kind: Kind, heights: readonly number[]): void {
  expect([kind, Math.max(...heights) < 1200]).toEqual([kind, true])
}

const heightsIn = (page: Page | Frame): Promise<number[]> =>
  page.locator('h1, td').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
