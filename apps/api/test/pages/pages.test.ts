import { readdirSync, readFileSync } from 'node:fs'
import { ASSET_FOLDER } from '@shardwalk/pages'
import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { examplePages } from './example-pages.ts'
import { HOSTILE_TEXTS, poisoned } from './hostile-texts.ts'

const MAX_BYTES = 150_000
const MAX_MS = 10

test('pages are small: at most 150 kB, also where every list is full', () => {
  const sizes = Object.entries(examplePages()).map(
    ([name, render]) => [name, Buffer.byteLength(render())] as const,
  )
  console.log(sizes.map(([name, bytes]) => `${name}: ${bytes}`).join('\n'))
  expect(sizes.filter(([, bytes]) => bytes > MAX_BYTES)).toEqual([])
})

test('scripts name no address from the root: a proxy may publish the service below a path', () => {
  const files = readdirSync(ASSET_FOLDER).map((name) => new URL(name, ASSET_FOLDER))
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    expect([file.pathname, /["'`(=]\/\w[^"'`)]*/.exec(text)?.[0]]).toEqual([file.pathname, undefined])
  }
})

test('pages are rendered in at most 10 ms', () => {
  const slow: string[] = []
  for (const [name, render] of Object.entries(examplePages())) {
    // The best of many is what it takes when nothing else runs.
    let best = Number.POSITIVE_INFINITY
    for (let run = 0; run < 60 && (run < 10 || best > MAX_MS); run++) {
      const start = performance.now()
      render()
      best = Math.min(best, performance.now() - start)
    }
    console.log(`${name}: ${best.toFixed(2)} ms`)
    if (best > MAX_MS) slow.push(`${name}: ${best.toFixed(1)} ms`)
  }
  expect(slow).toEqual([])
})

/** Elements that no page has, attributes that run something, and links to somewhere else. */
const ACTIVE =
  /<script(?! src="\.\.\/[ejt]")|<img|<iframe|<object|<embed|<foreignObject|<style|<base|\s(on\w+|style)=/i

/** Of the pages, one in this many is rendered with a text, and each with one text in this many. */
const STEP = isLong ? 1 : 4

/** Renders pages with the text wherever a stranger may have written one. */
function expectHarmless(text: string, index: number, decimals?: string): void {
  const pages = examplePages({ reply: (reply) => poisoned(reply, text, decimals), text })
  for (const [at, [name, render]] of Object.entries(pages).entries()) {
    if ((at + index) % STEP !== 0) continue
    const html = render()
    const tags = (html.match(/<[^>]*>/g) ?? []).join('')
    const withoutValues = tags.replace(/"[^"]*"/g, (value) => value.replace(/\s/g, '_'))
    expect([name, ACTIVE.exec(withoutValues)?.[0]]).toEqual([name, undefined])
    expect([name, FOREIGN.exec(html)?.[0]]).toEqual([name, undefined])
    expect([name, DECEPTIVE.exec(shown(html))?.[0]]).toEqual([name, undefined])
    expect([name, Math.max(MAX_BYTES, Buffer.byteLength(html))]).toEqual([name, MAX_BYTES])
  }
}
/** What is not relative to the page leads out of the path below which a proxy may publish the service. */
const FOREIGN = /(href|src|action|data-(events|status|status-view))="(?!\.\.\/\w|\.\.\/"|[#?])[^"]*"/i
const DECEPTIVE = /\p{M}{5}|[\p{Cf}\p{Cs}]|(?!\n)\p{Cc}/u

test.each(Object.entries(HOSTILE_TEXTS).map(([name, text], index) => [name, text, index] as const))(
  '%s: is text wherever a stranger may have written it',
  (_, text, index) => expectHarmless(text, index),
)

test.each(['255', '-1', '1e9', 'x'].map((decimals, index) => [decimals, index] as const))(
  'amounts with %s decimals are numbers',
  (decimals, index) => expectHarmless('<b>', index, decimals),
)

/** Without the text that the visitor typed, which the search box repeats. */
const shown = (html: string): string => html.replace(/<input[^>]*>/g, '')
