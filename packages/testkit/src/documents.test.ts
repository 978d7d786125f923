import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** The documents by hand: what a reader would look for and not find. */
const ROOT = new URL('../../../', import.meta.url).pathname
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)))
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const withoutBlocks = (text: string): string => text.replace(/```.*?```/gs, '')
const DOCUMENTS = FILES.filter((path) => path.endsWith('.md'))

const anchorsOf = (text: string): string[] =>
  [...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

test('links in documents lead to files and headings that exist', () => {
  const broken = DOCUMENTS.flatMap((path) =>
    [...withoutBlocks(textOf(path)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
      .filter(([, link]) => {
        const [file, anchor] = link!.split('#')
        const target = file ? join(dirname(path), file) : path
        if (!existsSync(join(ROOT, target))) return true
        return anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor)
      })
      .map(([, link]) => `${path}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('code, settings and documents name only pages and headings of docs that exist', () => {
  const named = /\bdocs\/([\w-]+\.md)(?:#([\w-]+)|, "([^"\n]+)")?/g
  const sources = FILES.filter((path) => /\.(tsx?|mjs|md|ya?ml|conf|example)$|Caddyfile$/.test(path))
  const places = sources.flatMap((path) =>
    [...textOf(path).matchAll(named)].map((match) => ({ path, match })),
  )
  expect(places.length).toBeGreaterThan(100)
  const broken = places.filter(({ match: [, page, anchor, heading] }) => {
    const file = join('docs', page!)
    if (!existsSync(join(ROOT, file))) return true
    const wanted = anchor ?? (heading && anchorsOf(`# ${heading}`)[0])
    return wanted !== undefined && !anchorsOf(textOf(file)).includes(wanted)
  })
  expect(broken.map(({ path, match: [text] }) => `${path}: ${text}`)).toEqual([])
})

const READMES = DOCUMENTS.filter((path) => /^(packages|apps)\/[^/]+\/README\.md$/.test(path))
const WORDS = new Set(
  FILES.filter((path) => /^(packages|apps|scripts|infra)\/.*\.(tsx?|mjs|js|ya?ml|conf)$/.test(path)).flatMap(
    (path) => textOf(path).match(/[A-Za-z_]\w*/g) ?? [],
  ),
)
const NAMES = new Set(FILES.map((path) => basename(path)))
/** Placeholders in patterns of names. */
const PATTERNS = new Set(['findX', 'listX', 'xOfY'])

test('a README of a package or app names only files and code that exist', () => {
  const unknown = READMES.flatMap((path) =>
    [...withoutBlocks(textOf(path)).matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => {
      const names = /^[\w.-]+\.(ts|tsx|mjs)$/.test(code!)
        ? [code!].filter((name) => !NAMES.has(name))
        : (code!.match(/\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*/g) ?? []).filter(
            (name) => !WORDS.has(name) && !PATTERNS.has(name),
          )
      return names.map((name) => `${path}: ${name}`)
    }),
  )
  expect(unknown).toEqual([])
})
