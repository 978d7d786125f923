import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LITE_ERROR } from '../src/index.ts'

/** Ids of constructors and codes of errors have one place, which is in this package. */
const ROOT = new URL('../../../', import.meta.url).pathname
const SOURCES = ['packages', 'apps'].flatMap((root) =>
  readdirSync(`${ROOT}${root}`).flatMap((name) =>
    readdirSync(`${ROOT}${root}/${name}/src`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => `${root}/${name}/src/${path}`),
  ),
)
const codeOf = (path: string): string =>
  readFileSync(`${ROOT}${path}`, 'utf8')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\/\/.*$/gm, '')
const isOurs = (path: string): boolean => path.startsWith('packages/tl/')

const IDS = /\b(?:object|fn)\(\s*'([\w.]+)',\s*(0x[0-9a-f]{8})/g

test('the id of a TL constructor is written once', () => {
  const found = SOURCES.filter(isOurs).flatMap((path) => [...codeOf(path).matchAll(IDS)])
  const places = new Map(found.map(([, name, id]) => [id!, name!]))
  expect(places.size).toBeGreaterThan(200)
  const written = SOURCES.flatMap((path) =>
    [...codeOf(path).matchAll(/\b0x[0-9a-f]{8}\b/g)].map(([id]) => ({ path, name: places.get(id) })),
  ).filter(({ name }) => name !== undefined)
  const repeated = written.filter(({ name }, index) =>
    written.some((other, before) => before < index && other.name === name),
  )
  expect(repeated).toEqual([])
})

test('a code of a lite server error is written once', () => {
  const codes = new RegExp(`(?<![\\w.])(${Object.values(LITE_ERROR).join('|')})(?![\\w.])`)
  const found = SOURCES.filter((path) => !path.endsWith('-tables.ts') && codes.test(codeOf(path)))
  expect(found).toEqual(['packages/tl/src/lite-errors.ts'])
})

test('lookups, headers, block proofs, configurations and listings name the bits of their mode', () => {
  const bits = /\b(LISTING_MODE|mode) (&|=|\?\?) ?~?(0x)?[1-9]|\bmode: (0x)?[1-9]|\bmode = (0x)?[1-9]/
  const subjects = /lookupBlock|BlockHeader|BlockProof|getConfig|BlockTransactions/
  const found = SOURCES.filter((path) => subjects.test(codeOf(path)) && bits.test(codeOf(path)))
  expect(found).toEqual([])
})
