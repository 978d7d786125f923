import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isLong } from '@shardwalk/testkit/runs'
import { type Browser, chromium, type Frame, type JSHandle, type Page } from 'playwright-core'

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

/** What a page is made of. */
export interface Shown {
  readonly status: number
  readonly url: string
  readonly html: string
}

/** What the server sends, before any script. */
export async function shownAt(url: string): Promise<Shown> {
  // As a browser asks: errors are pages, too.
  const reply = await fetch(url, { headers: { accept: 'text/html' } })
  return { status: reply.status, url: reply.url, html: await reply.text() }
}

/**
 * Shows copies of pages in one document: writing a copy into it costs a tenth of opening the page, and the
 * scripts that look at copies stay compiled.
 */
export class Easel {
  private constructor(
    readonly page: Page,
    readonly frame: Frame,
  ) {}

  /** For `axeProblems`. */
  static async open(browser: Browser): Promise<Easel> {
    const page = await browser.newPage({ reducedMotion: 'reduce' })
    await page.evaluate(AXE)
    return new Easel(page, page.mainFrame())
  }

  /** For `widths`: copies are in a frame, whose width changes without anything being drawn. */
  static async openFramed(browser: Browser, media: 'print' | 'screen'): Promise<Easel> {
    const page = await browser.newPage({ reducedMotion: 'reduce', viewport: WIDE })
    await page.emulateMedia({ media })
    await page.setContent('<iframe style="border: 0; height: 800px"></iframe>')
    return new Easel(page, page.frames()[1]!)
  }

  async show({ url, html }: Shown): Promise<void> {
    const copy = html
      .replace(/<script.*?<\/script>/gs, '')
      .replace(/(?<=<link rel="stylesheet" href=")[^"]+/g, (path) => new URL(path, url).href)
    await this.frame.evaluate(async (text) => {
      document.open()
      document.write(text)
      document.close()
      const sheets = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')]
      const loading = sheets.filter(({ sheet }) => !sheet)
      const loaded = (link: HTMLLinkElement) =>
        new Promise((resolve, reject) => {
          link.addEventListener('load', resolve)
          link.addEventListener('error', reject)
        })
      await Promise.all(loading.map(loaded))
    }, copy)
  }

  /** At each width, by how many pixels the copy is wider, and a table or drawing of it than its frame. */
  widths(widths: readonly number[]): Promise<{ width: number; excess: number; hidden: number }[]> {
    return this.frame.evaluate(
      (all) =>
        all.map((width) => {
          frameElement!.setAttribute('width', String(width))
          const { scrollWidth, clientWidth } = document.documentElement
          const frames = [...document.querySelectorAll('.scroll')]
          const hidden = Math.max(0, ...frames.map((frame) => frame.scrollWidth - frame.clientWidth))
          return { width, excess: scrollWidth - clientWidth, hidden }
        }),
      widths,
    )
  }

  /** How many of the elements can be seen. */
  visible(selector: string): Promise<number> {
    return this.frame.evaluate(
      (which) => [...document.querySelectorAll(which)].filter((one) => one.checkVisibility()).length,
      selector,
    )
  }
}

interface Axe {
  run(
    node: unknown,
    options: object,
  ): Promise<{
    readonly violations: readonly {
      readonly id: string
      readonly impact: string
      readonly nodes: readonly { readonly html: string }[]
    }[]
  }>
}

/**
 * Problems of accessibility of the copy that are serious or critical, as texts. Lists have been shortened
 * (see `shortenLists`): what is said about every element takes most of the time. The contrast of a text takes
 * more than everything else: unless tests are long, it is looked at where no other copy on this easel had a
 * text of the same colors and size.
 */
export const axeProblems = ({ page }: Easel): Promise<string[]> =>
  page.evaluate(async (everyContrast) => {
    const { axe, contrasts = new Set() } = globalThis as unknown as { axe: Axe; contrasts?: Set<string> }
    Object.assign(globalThis, { contrasts })
    /** Of the element and all around it, whatever a contrast depends on. */
    const looks = new Map<Element | null, string>([[null, '']])
    const lookOf = (element: Element | null): string => {
      const known = looks.get(element)
      if (known !== undefined) return known
      const style = getComputedStyle(element!)
      const { backgroundColor, backgroundImage, opacity, filter, position } = style
      const own = [backgroundColor, backgroundImage, opacity, filter, position, element!.matches(':disabled')]
      const look = `${lookOf(element!.parentElement)} ${own}`
      looks.set(element, look)
      return look
    }
    const isText = ({ childNodes }: Element) =>
      [...childNodes].some((node) => node instanceof Text && /\S/.test(node.data))
    const fresh = [...document.body.querySelectorAll('*')].filter((element) => {
      if (!isText(element) && !element.matches('input, select, textarea')) return false
      const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
      const look = `${lookOf(element)} ${[color, fontSize, fontWeight, textShadow]}`
      return !contrasts.has(look) && contrasts.add(look)
    })
    const options = {
      resultTypes: ['violations'],
      runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
      // No rule of these tags reads style sheets, and pages have no media.
      preload: false,
    }
    const contrast = 'color-contrast'
    const results = [
      await axe.run(document, { ...options, rules: { [contrast]: { enabled: everyContrast } } }),
      ...(everyContrast || fresh.length === 0
        ? []
        : [await axe.run(fresh, { ...options, runOnly: [contrast] })]),
    ]
    return results
      .flatMap(({ violations }) => violations)
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  }, isLong)

/**
 * Removes rows, entries and fields that differ from two others of the page in nothing but texts, addresses of
 * links and amounts: what holds for those holds for them. Returns how many are left of how many.
 */
export const shortenLists = ({ page }: Easel): Promise<{ readonly left: number; readonly of: number }> =>
  page.evaluate(() => {
    const seen = new Map<string, number>()
    const rows = [...document.querySelectorAll('main tr, main li, main .schema dl > div')]
    const shapeOf = (row: Element): string =>
      row.outerHTML
        .replace(/>\s*[^<\s][^<]*</g, '>text<')
        .replace(/ (href|id|title|for|datetime|value|data-[\w-]+|aria-label)="[^"]+"/g, ' $1')
    for (const row of rows) {
      const shape = shapeOf(row)
      const count = (seen.get(shape) ?? 0) + 1
      seen.set(shape, count)
      if (count > 2) row.remove()
    }
    return { left: rows.filter((row) => row.isConnected).length, of: rows.length }
  })

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
  const shown = await shownAt(url)
  const parse = (html: string) => new DOMParser().parseFromString(html, 'text/html')
  return { status: shown.status, url: shown.url, document: await blank.evaluateHandle(parse, shown.html) }
}
