import { BatchSink, encodeBatch } from '@shardwalk/db'
import { endlessTraceBatch, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { classifiedChain, recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { isLong, swept } from '@shardwalk/testkit/runs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, type Json } from '../client.ts'
import { CHROMIUM, launch, type ReadPage, readPage, WIDE } from './browser.ts'
import { pathOf } from './found-in-chain.ts'

/** What explorer pages say, compared with API v3 over the same database. */
const inChromium = describe.skipIf(!CHROMIUM)

let scratch: ScratchDatabase
let client: Client
let browser: Browser
let page: Page
/** For `readPage`. */
let blank: Page
let base: string
beforeAll(async () => {
  scratch = await classifiedChain()
  client = await Client.start(scratch, { pages: { detail: 'full', network: 'sample' }, exportMaxRows: 10 })
  base = client.server.url
  browser = await launch()
  page = await browser.newPage({ viewport: WIDE })
  blank = await browser.newPage()
})
afterAll(async () => {
  await browser?.close()
  await client?.close()
  await scratch?.close()
})

inChromium('a search', () => {
  test('every form of input leads to the page that is meant', async () => {
    const forms = [
      ...(await formsOfAccount()),
      ...(await formsOfTransaction()),
      ...(await formsOfBlock()),
      await formOfDomain(),
    ]
    for (const [index, [text, path]] of forms.entries()) {
      const isTyped = isLong || index === 0
      const found = isTyped ? await search(text).then(here) : new URL((await send(text)).url).pathname
      expect([text, found.toLowerCase()]).toEqual([text, path.toLowerCase()])
    }
  })

  test('nonsense, nothing, much text and unknown hashes: a page says how it was read', async () => {
    const texts: [string, string][] = [
      ['nonsense', 'accepted'],
      ['', 'Nothing to search for'],
      ['x'.repeat(10_000), 'accepted'],
      ['<script>alert(1)</script>', 'accepted'],
      ['7'.repeat(64), 'Read as a hash'],
      ['nobody-has-this.ton', 'Read as a domain'],
      [`nobody\u202e.ton`, '⟨U+202E⟩'],
    ]
    for (const [index, [text, answer]] of texts.entries()) {
      if (isLong || index === 0) {
        await search(text)
        expect((await page.locator('main').textContent())!.toLowerCase()).toContain(answer.toLowerCase())
        expect(await page.getByRole('searchbox').count()).toBe(1)
      }
      const { document } = await send(text)
      const [shown, boxes] = await document.evaluate((read) => [
        read.querySelector('main')!.textContent!.toLowerCase(),
        read.querySelectorAll('input[type=search]').length,
      ])
      expect(shown).toContain(answer.toLowerCase())
      expect(boxes).toBe(1)
    }
  })
})

inChromium('a long list', () => {
  test('the pages of a long list have every row once, in either direction', async () => {
    const [least, order] = isLong ? [500, 'desc'] : [120, 'asc']
    const account = await one(
      `select account as one from analytics.transactions group by account having count(*) > ${least}
       order by count(*) ${order} limit 1`,
    )
    const all = await client.all('transactions', 'transactions', { account })
    expect(all.length).toBeGreaterThan(least)
    for (const sort of ['desc', 'asc']) {
      const seen = await turnPages(`${base}/address/${account}?tab=transactions&sort=${sort}`)
      const hashes = all.map(({ hash }) => `/tx/${hexOf(hash)}`)
      expect(seen).toEqual(sort === 'desc' ? hashes : hashes.reverse())
    }
  })

  test('blocks that arrive meanwhile neither repeat nor hide rows of later pages', async () => {
    const growing = await scratchDatabase()
    const sink = new BatchSink(growing.pool)
    const batches = await recordedBatches({ to: 160 })
    await sink.commitBatches(batches.splice(0, 150))
    const other = await Client.start(growing, { pages: { detail: 'full', network: 'sample' } })
    // The elector: a transaction in every block.
    const account = `-1:${'3'.repeat(64)}`
    const before = await other.all('transactions', 'transactions', { account })
    const seen = await turnPages(`${other.server.url}/address/${account}?tab=transactions`, async () => {
      await sink.commitBatches(batches.splice(0, 3))
    })
    expect(seen.length).toBeGreaterThan(100)
    expect(seen).toEqual(before.map(({ hash }) => `/tx/${hexOf(hash)}`))
    await other.close()
    await growing.close()
  })
})

inChromium('a transaction', () => {
  test.each([
    ['transaction: success', 'success'],
    ['transaction: aborted', 'exit code'],
    ['transaction: skipped', 'skipped'],
    ['transaction: tick-tock', 'tick-tock'],
    ['transaction: bounced', 'bounced'],
    ['transaction: deploying', '→ active'],
    ['transaction: external out', 'external out'],
  ] as const)('%s: says so, with the amounts of API v3', async (kind, word) => {
    const path = await pathOf(scratch, kind)
    await open(path)
    const text = (await page.locator('main').textContent())!
    expect(text).toContain(word)
    const { body } = await client.get<{ transactions: Json[] }>('transactions', { hash: path.slice(4) })
    const transaction = body.transactions[0]!
    const messages = [transaction['in_msg'], ...(transaction['out_msgs'] as Json[])] as (Json | null)[]
    const amounts = [transaction['total_fees'], ...messages.map((message) => message?.['value'])]
    const titles = await page
      .locator('.amount')
      .evaluateAll((all) => all.map((one) => one.getAttribute('title')))
    for (const amount of amounts)
      if (amount !== null && amount !== undefined) expect(titles).toContain(`${amount} nanoton`)
  })
})

inChromium('a trace', () => {
  test.each(['trace of 1', 'trace of 3', 'trace of 40', 'trace of hundreds'] as const)(
    '%s: letters, order and flow',
    async (kind) => {
      const path = await pathOf(scratch, kind)
      await open(path)
      const trace_id = path.slice('/trace/'.length)
      const { body } = await client.get<{ traces: Trace[] }>('traces', { trace_id })
      const trace = body.traces[0]!
      const nodes = await shownNodes()
      expectNodesOf(trace, nodes)
      expect((await page.content()).length).toBeLessThan(150_000)
      expectOneLetterEach(nodes)
      const circles = await page.locator('.tree text.letter').allTextContents()
      expect(circles).toEqual(nodes.map((node) => node.letter))
      await expectBouncedDashed(trace, nodes)
      // What one account gains another one loses.
      expect(await sumOfFlow()).toBe(0n)
    },
  )

  test('a trace of more transactions than are drawn is walked down to its end', async () => {
    // The last page has 35 of them.
    const length = isLong ? 350 : 161
    const long = await endlessTrace(length)
    const other = await Client.start(long, { pages: { detail: 'full', network: 'sample' } })
    const root = (await long.pool.query("select encode(hash, 'hex') as hash from transactions order by lt"))
      .rows[0].hash
    const open = (path: string) => readPage(blank, other.server.url + path)
    const shown = (read: ReadPage) => pathsOf(read, 'ol.nodes a.mono')
    let read = await open(`/trace/${root}`)
    const seen = await shown(read)
    expect(seen.length).toBe(64)
    const walked = new Set(seen)
    for (let last = seen.at(-1), left = length - 64; left > 0; left -= 63) {
      read = await follow(read, `${left} more below it`)
      const below = await shown(read)
      expect(below[0]).toBe(last)
      for (const path of below) walked.add(path)
      last = below.at(-1)
    }
    expect(walked.size).toBe(length)
    const text = await read.document.evaluate((end) => end.querySelector('main')!.textContent)
    expect(text).toContain(`35 of ${length} transactions, from one of them on`)
    expect(await shown(await follow(read, 'To the root of the trace'))).toEqual(seen)
    for (const [hash, status] of [['7'.repeat(64), 404] as const, ['x', 422] as const])
      expect((await open(`/trace/${root}?root=${hash}`)).status).toBe(status)
    await other.close()
    await long.close()
  })
})

inChromium('a block', () => {
  test.each([
    'block: two shards',
    'block: after a split',
    'block: after a merge',
    'block: key block',
  ] as const)('%s: the drawing has the shards of the table, and neighbours lead on', async (kind) => {
    const path = await pathOf(scratch, kind)
    await open(path)
    const main = (await page.locator('main').textContent())!
    if (kind === 'block: key block') expect(main).toContain('key block')
    if (kind === 'block: after a split') expect(main).toContain('after a split')
    const previous = page.locator('dt:text-is("Previous") + dd a')
    expect(await previous.count()).toBe(kind === 'block: after a merge' ? 2 : 1)
    if (kind === 'block: two shards') {
      const tops = new Map<string, number>()
      const names = await page.locator('td[data-label=Block] a').allTextContents()
      for (const name of names) {
        const [, shard, seqno] = name.split(':')
        tops.set(shard!, Math.max(tops.get(shard!) ?? 0, Number(seqno)))
      }
      const drawn = await page.locator('.shards text').allTextContents()
      expect(drawn.map((text) => Number(/· (\d+)/.exec(text)![1])).sort()).toEqual([...tops.values()].sort())
      expect(drawn.length).toBeGreaterThan(1)
    }
    await previous.first().click()
    await page.locator('dt:text-is("Next") + dd a').first().waitFor()
    const after = page.locator('dt:text-is("Next") + dd a')
    const paths = await after.evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).pathname))
    expect(paths.map((one) => one.toLowerCase())).toContain(path.toLowerCase())
  })
})

inChromium('the reference', () => {
  test('copied examples of the reference work', async () => {
    const { body } = await client.get<{ paths: Record<string, Record<string, Json>> }>('/api/v3/openapi.json')
    const own = swept(
      Object.entries(body.paths).filter(([, methods]) => methods['get']),
      3,
    )
    const refused: string[] = []
    for (const [path] of own) {
      const { document } = await readPage(blank, `${base}/docs/GET${path}`)
      const example = await document.evaluate((read) => read.querySelector('pre')!.textContent!)
      const url = /'([^']+)'/.exec(example)![1]!
      const reply = await page.request.get(url)
      // Without lite servers their endpoints are unavailable; what an example names need not exist.
      if (![200, 404, 503, 542].includes(reply.status())) refused.push(`${url}: ${await reply.text()}`)
    }
    expect(refused).toEqual([])
  })
})

const one = async (text: string): Promise<string> => (await scratch.pool.query(text)).rows[0].one as string
const open = async (path: string) => (await page.goto(base + path))!.status()
const here = () => new URL(page.url()).pathname
const hexOf = (base64: unknown) => Buffer.from(String(base64), 'base64').toString('hex')

/** Types the text into the search box, as a person would. */
async function search(text: string): Promise<void> {
  await open('/blocks')
  const box = page.getByRole('searchbox')
  await box.evaluate((input) => input.removeAttribute('maxlength'))
  await box.fill(text)
  const arrival = page.waitForURL((url) => url.pathname !== '/blocks')
  await box.press('Enter')
  await arrival
}

/** Asks for what the search box would send. */
const send = (text: string) => readPage(blank, `${base}/search?${new URLSearchParams({ q: text })}`)

/** What may be typed, and the path that it leads to. */
type Form = readonly [text: string, path: string]

const urlSafe = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_')

async function formsOfAccount(): Promise<Form[]> {
  const raw = await one("select max(account) as one from analytics.transactions where kind = 'ord'")
  const friendly = await one(`select analytics.address_friendly('${raw}') as one`)
  const forTestnet = await one(`select analytics.address_friendly('${raw}', false, true) as one`)
  const path = `/address/${urlSafe(friendly)}`
  const url = `https://explorer.example${path}?tab=nfts#top`
  const texts = [raw, raw.toLowerCase(), friendly, urlSafe(friendly), `  ${friendly} `, forTestnet, url]
  return texts.map((text) => [text, path])
}

async function formsOfTransaction(): Promise<Form[]> {
  const hash = await one("select max(hash) as one from analytics.transactions where kind = 'ord'")
  const hex = hexOf(hash)
  const url = `https://explorer.example/transaction/${hex}`
  const texts = [hash, hash.replace('=', ''), hex, `0x${hex.toUpperCase()}`, urlSafe(hash), url]
  return texts.map((text) => [text, `/tx/${hex}`])
}

async function formsOfBlock(): Promise<Form[]> {
  const block = (await client.get<{ blocks: Json[] }>('blocks', { workchain: 0, limit: 1 })).body.blocks[0]!
  const { workchain, shard, seqno } = block as { workchain: number; shard: string; seqno: number }
  const [rootHash, fileHash] = [String(block['root_hash']), String(block['file_hash'])]
  const id = `${workchain},${shard},${seqno}`
  const complete = `(${id}):${hexOf(rootHash)}:${hexOf(fileHash)}`
  return [
    ...['77', '7_7', ' 77 '].map((text): Form => [text, '/block/-1/8000000000000000/77']),
    ...[`(${id})`, id.replaceAll(',', ':'), complete, rootHash, fileHash].map(
      (text): Form => [text, `/block/${workchain}/${shard}/${seqno}`],
    ),
  ]
}

async function formOfDomain(): Promise<Form> {
  const domain = await one('select min(domain) as one from analytics.dns')
  const named = await one(
    `select analytics.address_friendly(coalesce(wallet, item)) as one from analytics.dns
     where domain = '${domain}'`,
  )
  return [domain, `/address/${urlSafe(named)}`]
}

/** The transactions of all pages of the list from `url` on; `between` runs before each further one. */
async function turnPages(url: string, between: () => Promise<void> = async () => {}): Promise<string[]> {
  const seen: string[] = []
  for (;;) {
    const read = await readPage(blank, url)
    seen.push(...(await pathsOf(read, 'td[data-label=Transaction] a')))
    const [next] = await pathsOf(read, 'a[rel=next]')
    if (next === undefined) return seen
    await between()
    url = new URL(next, read.url).href
  }
}

/** Of a reply of API v3. */
interface Trace extends Json {
  readonly transactions: Readonly<Record<string, { readonly account: string; readonly in_msg: Json | null }>>
  readonly transactions_order: readonly string[]
}

type Node = Awaited<ReturnType<typeof shownNodes>>[number]

/** The transactions in the list of the open trace. */
const shownNodes = () =>
  page.locator('ol.nodes > li').evaluateAll((all) =>
    all.map((li) => ({
      letter: li.querySelector('.badge')!.textContent,
      account: li.querySelector<HTMLAnchorElement>('.address a')!.pathname,
      transaction: li.querySelector<HTMLAnchorElement>('a.mono')!.pathname,
      before: li.previousElementSibling?.querySelector<HTMLAnchorElement>('a.mono')?.pathname,
    })),
  )

/**
 * Each transaction once, or as many as a page has; those below the same one in the order of the reply, which
 * is no tree.
 */
function expectNodesOf(trace: Trace, nodes: readonly Node[]): void {
  const all = Object.keys(trace.transactions).map((hash) => `/tx/${hexOf(hash)}`)
  const shown = nodes.map((node) => node.transaction)
  expect(new Set(shown).size).toBe(Math.min(all.length, 64))
  expect(all).toEqual(expect.arrayContaining(shown))
  const order = trace.transactions_order.map((hash) => `/tx/${hexOf(hash)}`)
  for (const { transaction, before } of nodes)
    if (before !== undefined) expect(order.indexOf(before)).toBeLessThan(order.indexOf(transaction))
}

/** Each account has one letter, which no other has. */
function expectOneLetterEach(nodes: readonly Node[]): void {
  const letters = new Map(nodes.map((node) => [node.account, node.letter]))
  for (const { account, letter } of nodes) expect(letters.get(account)).toBe(letter)
  expect(new Set(letters.values()).size).toBe(letters.size)
}

async function expectBouncedDashed(trace: Trace, nodes: readonly Node[]): Promise<void> {
  const shown = nodes.map((node) => node.transaction)
  const bounced = Object.entries(trace.transactions).filter(
    ([hash, { in_msg: message }]) => message?.['bounced'] === true && shown.includes(`/tx/${hexOf(hash)}`),
  )
  const dashed = page.locator('.edge.bounced')
  expect(await dashed.count()).toBe(bounced.length)
  for (const edge of (await dashed.all()).slice(0, 1))
    expect(await edge.evaluate((path) => getComputedStyle(path).strokeDasharray)).not.toBe('none')
}

/** Of what the accounts of the open trace gained and lost, on all pages of the table. */
async function sumOfFlow(): Promise<bigint> {
  const amountsOf = (column: string) =>
    page
      .locator(`td[data-label=${column}] .amount`)
      .evaluateAll((all) => all.map((one) => BigInt(one.getAttribute('title')!.replace(' nanoton', ''))))
  for (let sum = 0n; ; ) {
    for (const amount of await amountsOf('TON')) sum += amount
    expect((await amountsOf('Fees')).every((fee) => fee >= 0n)).toBe(true)
    const next = page.locator('a[href^="?flow="]:text-is("Next")')
    if ((await next.count()) === 0) return sum
    await next.click()
  }
}

/** A database with nothing but the beginning of an endless trace. */
async function endlessTrace(length: number): Promise<ScratchDatabase> {
  const scratch = await scratchDatabase()
  const batches = Array.from({ length }, (_, index) => {
    const { batch, globalVersion } = endlessTraceBatch(index + 1)
    return encodeBatch(batch, { globalVersion })
  })
  await new BatchSink(scratch.pool).commitBatches(batches)
  return scratch
}

/** The page behind the link with this text. */
async function follow(from: ReadPage, text: string): Promise<ReadPage> {
  const path = await from.document.evaluate((read, words) => {
    const links = [...read.querySelectorAll('main a')]
    return links.find((a) => a.textContent!.includes(words))?.getAttribute('href')
  }, text)
  return readPage(blank, new URL(path!, from.url).href)
}

/** The links that match, in order. */
async function pathsOf({ url, document }: ReadPage, selector: string): Promise<string[]> {
  const links = await document.evaluate(
    (read, which) => [...read.querySelectorAll(which)].map((a) => a.getAttribute('href')!),
    selector,
  )
  return links.map((link) => new URL(link, url)).map(({ pathname, search }) => pathname + search)
}
