import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type JSHandle, type Page } from 'playwright-core'

/** The first has no window at all, which takes a quarter less processor time. */
const PATHS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/** Where Chromium is installed; undefined if it is not. `CHROMIUM`: another place. */
export const CHROMIUM = [process.env['CHROMIUM'] ?? '', ...PATHS].find((path) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
})

if (!CHROMIUM)
  console.warn(
    'NO CHROMIUM: pages are not tried in a browser (apt-get install chromium-headless-shell, or CHROMIUM=…)',
  )

/** Limit of each step in a page: a busy machine takes its time. */
const STEP_MS = 120_000

export async function launch(): Promise<Browser> {
  // The sandbox needs rights that containers lack.
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] })
  return browser.on('context', (context) => context.setDefaultTimeout(STEP_MS))
}

export const WIDE = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Problems of accessibility that are serious or critical, as texts. Lists have been shortened (see
 * `shortenLists`): what is said about every element takes most of the time.
 */
export async function axeProblems(page: Page): Promise<string[]> {
  // Not a script of the page: its policy does not apply.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(node: unknown, options: object): Promise<AxeResult> }
    }
    const options = {
      resultTypes: ['violations'],
      runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
      // No rule of these tags reads style sheets, and pages have no media.
      preload: false,
    }
    const { violations } = await axe.run(document, options)
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  })
}

/**
 * Removes rows, entries and fields that differ from two others of the page in nothing but texts, addresses of
 * links and amounts: what holds for those holds for them. Returns how many are left of how many.
 */
export const shortenLists = (page: Page): Promise<{ readonly left: number; readonly of: number }> =>
  page.evaluate(() => {
    const met = new Map<string, number>()
    const rows = [...document.querySelectorAll('main tr, main li, main .schema dl > div')]
    const shapeOf = (row: Element): string =>
      row.outerHTML
        .replace(/>\s*[^<\s][^<]*</g, '>text<')
        .replace(/ (href|id|title|for|datetime|value|data-[\w-]+|aria-label)="[^"]+"/g, ' $1')
    for (const row of rows) {
      const shape = shapeOf(row)
      const count = (met.get(shape) ?? 0) + 1
      met.set(shape, count)
      if (count > 2) row.remove()
    }
    return { left: rows.filter((row) => row.isConnected).length, of: rows.length }
  })

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** Everything that a page must not do, collected while it is open. */
export function watch(page: Page, base: string): string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    // A status of the page itself is no fault of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:'))
      problems.push(`foreign request: ${request.url()}`)
  })
  return problems
}

/** By how many pixels a table or drawing is wider than its frame, in which it scrolls sideways. */
export const hiddenWidth = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const frames = [...document.querySelectorAll('.scroll')]
    return Math.max(0, ...frames.map((frame) => frame.scrollWidth - frame.clientWidth))
  })

/** By how many pixels the page is wider than the window. */
export const excessWidth = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** A page that is read but not drawn, which takes a tenth of the time. */
export interface ReadPage {
  readonly status: number
  /** Where redirects ended. */
  readonly url: string
  readonly document: JSHandle<Document>
}

/** Reads the page at `url`. `blank` shows about:blank and has the parser: our pages allow no script. */
export async function readPage(blank: Page, url: string): Promise<ReadPage> {
  // As a browser asks: errors are pages, too.
  const reply = await fetch(url, { headers: { accept: 'text/html' } })
  const parse = (html: string) => new DOMParser().parseFromString(html, 'text/html')
  const document = await blank.evaluateHandle(parse, await reply.text())
  return { status: reply.status, url: reply.url, document }
}
