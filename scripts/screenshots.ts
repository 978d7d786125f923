// Takes pictures of pages of the sample network in Chromium (`CHROMIUM`: where it is).
//   node --import tsx scripts/screenshots.ts            the pictures of the README, in docs/images
//   node --import tsx scripts/screenshots.ts <folder>   every page, at both widths and in both themes
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launch, PHONE, WIDE } from '../apps/api/test/pages/browser.ts'

const SIZES = { wide: WIDE, phone: PHONE } as const
type Size = keyof typeof SIZES
type Theme = 'light' | 'dark'

interface Picture {
  readonly name: string
  readonly path: string
  readonly size: Size
  readonly theme: Theme
  /** CSS pixels; default: the whole page. */
  readonly height?: number
  /** Where the picture begins; default: at the top. */
  readonly from?: string
}

const [folder] = process.argv.slice(2)
const sample = await startSample()
const browser = await launch()
try {
  const pages = await findPages(sample.url)
  if (folder) for (const picture of everyPage(pages)) await take(browser, picture, folder, 'png')
  else for (const picture of ofReadme(pages)) await take(browser, picture, 'docs/images', 'webp')
} finally {
  await browser.close()
  await sample.stop()
}

function ofReadme(pages: Readonly<Record<string, string>>): Picture[] {
  return [
    { name: 'status', path: '/', size: 'wide', theme: 'light', height: 720 },
    { name: 'account', path: pages['account-actions']!, size: 'wide', theme: 'dark', height: 720 },
    {
      name: 'trace',
      path: pages['trace-swap']!,
      size: 'wide',
      theme: 'light',
      height: 760,
      from: 'h2:text-is("Tree")',
    },
    { name: 'reference', path: pages['endpoint']!, size: 'wide', theme: 'dark', height: 720 },
  ]
}

function everyPage(pages: Readonly<Record<string, string>>): Picture[] {
  return Object.entries(pages).flatMap(([name, path]) =>
    (['wide', 'phone'] as const).flatMap((size) =>
      (['light', 'dark'] as const).map((theme) => ({ name: `${name}-${size}-${theme}`, path, size, theme })),
    ),
  )
}

/** Pages by name; what they are about is looked up. */
async function findPages(base: string): Promise<Record<string, string>> {
  // biome-ignore lint/suspicious/noExplicitAny: fields are picked by name
  const ask = async (path: string): Promise<any> => (await fetch(`${base}/api/v3/${path}`)).json()
  const hex = (hash: string) => Buffer.from(hash, 'base64').toString('hex')
  const { actions } = await ask('actions?action_type=jetton_swap&limit=1')
  const { jetton_wallets: wallets } = await ask('jetton/wallets?limit=200&exclude_zero_balance=true')
  const { nft_items: items } = await ask('nft/items?limit=1')
  const { transactions } = await ask('transactions?limit=200&workchain=0')
  const owner = wallets[0].owner
  const swap = actions[0].trace_id
  return {
    status: '/',
    blocks: '/blocks',
    block: '/block/latest',
    'not-found': '/nothing/here',
    reference: '/docs',
    endpoint: '/docs/GET/api/v3/jetton/wallets',
    console: '/docs/console',
    ...Object.fromEntries(
      ['actions', 'transactions', 'jettons', 'nfts'].map((tab) => [
        `account-${tab}`,
        `/address/${owner}?tab=${tab}`,
      ]),
    ),
    jetton: `/address/${wallets[0].jetton}?tab=holders`,
    nft: `/address/${items[0].address}`,
    transaction: `/tx/${hex(transactions[0].hash)}`,
    'trace-swap': `/trace/${hex(swap)}`,
  }
}

async function take(browser: Browser, picture: Picture, into: string, format: 'png' | 'webp'): Promise<void> {
  const { name, path, size, theme, height, from } = picture
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: theme })
  const page = await context.newPage()
  await page.goto(sample.url + path)
  // The console and live values come later.
  await page.waitForTimeout(path === '/docs/console' ? 3000 : 300)
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  const box = from === undefined ? null : await page.locator(from).first().boundingBox()
  const y = box ? box.y - 20 : 0
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format,
    captureBeyondViewport: true,
    ...(format === 'webp' && { quality: 82 }),
    clip: { x: 0, y, width: SIZES[size].width, height: Math.min(height ?? 4000, whole - y), scale: 1 },
  })
  mkdirSync(into, { recursive: true })
  const bytes = Buffer.from(data, 'base64')
  writeFileSync(join(into, `${name}.${format}`), bytes)
  console.log(`${name}.${format}: ${Math.round(bytes.length / 1000)} kB`)
  await context.close()
}

/** `npm start -- --network sample` in a folder of its own, everything indexed. */
async function startSample() {
  const dataDir = mkdtempSync(join(tmpdir(), 'shardwalk-screenshots-'))
  const port = await freePort()
  const flags = ['--network', 'sample', '--data-dir', dataDir, '--api-port', String(port)]
  const child = spawn(process.execPath, ['scripts/start.mjs', ...flags], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(dataDir, { recursive: true, force: true })
  }
  const deadline = Date.now() + 300_000
  while (!(await isComplete(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error('the sample network did not start')
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  return { url, stop }
}

/** Whether everything is indexed, examined and classified. */
async function isComplete(url: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/readyz?synced=1`)
    const status = (await (await fetch(`${url}/status.json`)).json()) as {
      readonly newest: { readonly seqno: number } | null
      readonly waiting: { readonly contracts: number; readonly traces: number } | null
    }
    const { newest, waiting } = status
    return reply.ok && newest?.seqno === 529 && waiting?.contracts === 0 && waiting.traces === 0
  } catch {
    return false
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
