import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

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
  console.warn('NO CHROMIUM: pages are not tried in a browser (apt-get install chromium, or CHROMIUM=…)')

// The sandbox needs rights that containers lack.
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] })

export const WIDE = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Problems of accessibility that are serious or critical, as texts. `rules`: only these. */
export async function axeProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Not a script of the page: its policy does not apply.
  await page.evaluate(AXE)
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: { run(node: unknown, options: object): Promise<AxeResult> }
    }
    const options = {
      resultTypes: ['violations'],
      runOnly: only
        ? { type: 'rule', values: only }
        : { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
    }
    const { violations } = await axe.run(document, options)
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  }, rules)
}

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

/** By how many pixels the page is wider than the window. */
export const excessWidth = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
