import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CODE_HASH_NAMES, codeHashesOf, namedOpcodes } from '../src/index.ts'
import * as OPCODES from '../src/opcodes/index.ts'

/**
 * Each fact of the TON network has one place: opcodes in bodies/schema or src/opcodes, code hashes in
 * interfaces/code-hashes.ts. The failure message names that place.
 */
const ROOT = new URL('../../../', import.meta.url).pathname
const filesOf = (folder: string): string[] =>
  readdirSync(`${ROOT}${folder}`).flatMap((name) =>
    readdirSync(`${ROOT}${folder}/${name}/src`, { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${name}/src/${path}`,
    ),
  )
const SOURCES = [...filesOf('packages'), ...filesOf('apps')].filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('packages/testkit/'),
)
const withoutComments = (source: string): string =>
  source.replace(/\/\*.*?\*\//gs, '').replace(/^\s*\/\/.*$/gm, '')
const codeOf = (path: string): string => withoutComments(readFileSync(`${ROOT}${path}`, 'utf8'))

/** Small numbers mean different things to different contracts, and all ones means "the latest" elsewhere. */
const isTelling = (opcode: number): boolean => opcode > 0xffff && opcode !== 0xffffffff

/** A quoted opcode is an example in a description. */
const numbersIn = (code: string): number[] =>
  [...code.matchAll(/(?<!['"])\b0x([0-9a-f]{8})n?\b/gi)]
    .map(([, hex]) => Number.parseInt(hex!, 16))
    .filter(isTelling)

test('no opcode is declared outside packages/contracts', () => {
  const declared = new Set<number>(Object.values(OPCODES).flatMap((group) => Object.values(group)))
  for (const [opcode] of namedOpcodes()) declared.add(opcode)
  const found = SOURCES.filter((path) => !path.startsWith('packages/contracts/')).flatMap((path) =>
    numbersIn(codeOf(path))
      .filter((opcode) => declared.has(opcode))
      .map((opcode) => `${path}: 0x${opcode.toString(16)}`),
  )
  expect(found).toEqual([])
})

test('src/opcodes declares an opcode once, and only when no table of bodies has it', () => {
  const seen = new Map<number, string>([...namedOpcodes()].filter(([opcode]) => isTelling(opcode)))
  const twice: string[] = []
  for (const path of SOURCES.filter((one) => one.startsWith('packages/contracts/')))
    for (const opcode of numbersIn(codeOf(path))) {
      const other = seen.get(opcode)
      if (other !== undefined) twice.push(`${path}: 0x${opcode.toString(16)} also in ${other}`)
      seen.set(opcode, path)
    }
  expect(twice).toEqual([])
})

test('no code hash is written twice, in either encoding', () => {
  const hashes = CODE_HASH_NAMES.flatMap(codeHashesOf)
  expect(new Set(hashes).size).toBe(hashes.length)
  const spellings = new Map(
    hashes.flatMap((hash) => [
      [hash, hash],
      [Buffer.from(hash, 'base64').toString('hex'), hash],
    ]),
  )
  const found = SOURCES.filter((path) => !path.endsWith('interfaces/code-hashes.ts')).flatMap((path) =>
    [...codeOf(path).matchAll(/[0-9a-f]{64}|[A-Za-z0-9+/]{43}=/gi)]
      .map(([text]) => spellings.get(text) ?? spellings.get(text.toLowerCase()))
      .filter((hash) => hash !== undefined)
      .map((hash) => `${path}: ${hash}`),
  )
  expect(found).toEqual([])
})

test('a tag of block.tlb is written in one file of packages/tlb and nowhere else', () => {
  const tags = SOURCES.filter((path) => path.startsWith('packages/tlb/')).flatMap((path) => [
    ...new Set(numbersIn(codeOf(path))),
  ])
  const found = SOURCES.flatMap((path) => [...new Set(numbersIn(codeOf(path)))])
  const twice = tags.filter((tag) => found.filter((other) => other === tag).length > 1)
  expect(tags.length).toBeGreaterThan(5)
  expect(twice.map((tag) => `0x${tag.toString(16)}`)).toEqual([])
})

test('no hash of 256 bits is written in two files of packages/actions and packages/contracts', () => {
  const places = new Map<string, Set<string>>()
  for (const path of SOURCES.filter((one) => /^packages\/(actions|contracts)\//.test(one)))
    for (const [hash] of codeOf(path).matchAll(/[0-9a-f]{64}/gi))
      places.set(hash.toLowerCase(), (places.get(hash.toLowerCase()) ?? new Set()).add(path))
  expect([...places].filter(([, paths]) => paths.size > 1)).toEqual([])
})
