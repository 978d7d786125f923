import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { profileRules, V2_ALIASES, V2_METHODS, type V2MethodName } from '@shardwalk/api-schema'
import { keepPlans } from '@shardwalk/queries'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { COMPILED_ROOT, isLong } from '@shardwalk/testkit/runs'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { columnsOf, verbOf } from '../../src/http/route.ts'
import { EXPORT_ROUTES, V3_ROUTES } from '../../src/v3/routes/index.ts'
import type { Json } from '../client.ts'
import { exampleQueries } from '../example-queries.ts'
import { seedPending } from '../pending/seed-pending.ts'
import { exampleRequests } from '../v2/example-requests.ts'
import { type RunningApi, startApi, warmUp } from '../v2/running-api.ts'
import { areInstalled, CLIENTS } from './installed.ts'
import { type Asked, type Call, callsOf, type Description, fetchProgram, orvalProgram } from './program.ts'

// Clients are generated from our descriptions, compiled strictly, and call every operation on the sample.

const run = promisify(execFile)
const TSC = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url))
// Declarations of Node.js and browsers, which take most of the time, are not what is tested.
const FLAGS = [
  ...['--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noUnusedLocals', '--strict'],
  ...(isLong ? [] : ['--skipLibCheck']),
]

let scratch: ScratchDatabase
let api: RunningApi
let folder = ''
let calls: readonly Call[] = []

beforeAll(async () => {
  if (!areInstalled) return
  scratch = await classifiedChain()
  api = await startApi([{}], { db: keepPlans(scratch.pool) })
  await warmUp(api)
  await seedPending(scratch, api)
  folder = mkdtempSync(join(tmpdir(), 'shardwalk-generated-'))
  symlinkSync(join(CLIENTS, 'node_modules'), join(folder, 'node_modules'))
  calls = [...(await callsOfV3()), ...(await callsOfV2())]
  await generate()
  await compile({ 'with-fetch': fetchProgram(calls), 'with-orval': orvalProgram(calls) })
})
afterAll(async () => {
  await api?.close()
  await scratch?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const base = () => api.base.replace('/api/v2', '')

async function read<T = Json>(path: string, { query = {}, body }: Asked = {}): Promise<T | undefined> {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) search.append(name, String(one))
  const reply = await fetch(`${base()}${path}?${search}`, {
    ...(body !== undefined && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const json = await reply.json()
  return reply.status === 200 ? (json as T) : undefined
}

async function describedBy(version: string): Promise<Description> {
  const description = await read<Description>(`/api/${version}/openapi.json`)
  writeFileSync(join(folder, `${version}.json`), JSON.stringify(description))
  return description!
}

async function callsOfV3(): Promise<Call[]> {
  const queries = await exampleQueries(async (path, query) => (await read(`/api/v3/${path}`, { query }))!)
  const description = await describedBy('v3')
  const asked = (verb: string, path: string): Asked =>
    (queries[`${verb} ${path.replace(/^.api.v3.(export.)?/, '')}`] ?? {}) as Asked
  const askedAs =
    (format: string) =>
    (verb: string, path: string): Asked | undefined =>
      path.startsWith('/api/v3/export/')
        ? { query: { ...asked(verb, path).query, format, limit: 3 } }
        : undefined
  return [
    ...callsOf('v3', description, (verb, path) => askedAs('ndjson')(verb, path) ?? asked(verb, path)),
    ...callsOf('v3', description, askedAs('csv')),
  ]
}

async function callsOfV2(): Promise<Call[]> {
  const found: Record<string, Asked> = {
    jsonRPC: { body: { method: 'getMasterchainInfo', id: '1', jsonrpc: '2.0', params: {} } },
  }
  for (const name of Object.keys(V2_METHODS) as V2MethodName[])
    for (const { query, body } of exampleRequests(name)) {
      const asked: Asked = {
        ...(query && { query }),
        ...(body !== undefined && { body: typeof body === 'string' ? JSON.parse(body) : body }),
      }
      if (!found[name] && (await read(`/api/v2/${name}`, asked))) found[name] = asked
      if (found[name]) break
    }
  const aliases = V2_ALIASES as Readonly<Record<string, string>>
  return callsOf('v2', await describedBy('v2'), (_verb, path) => {
    const name = path.replace('/api/v2/', '')
    return found[aliases[name] ?? name]
  })
}

interface Reported {
  readonly name: string
  readonly status: number
  readonly url: string
  readonly data: unknown
}

/** In generated files instead of the address of this run. */
const ANYWHERE = 'http://anywhere.test'
const GENERATED = ['v3.ts', 'v2.ts', 'orval-v3.ts', 'orval-v2.ts']

/**
 * By both generators, in one process: it takes longer to load them than to generate. What they made of the
 * same descriptions is kept beside the compiled copy of the sources.
 */
async function generate(): Promise<void> {
  const key = createHash('sha256').update(PROGRAM)
  for (const file of [
    join(CLIENTS, 'package-lock.json'),
    ...['v3.json', 'v2.json'].map((name) => join(folder, name)),
  ])
    key.update(readFileSync(file))
  const kept = join(dirname(COMPILED_ROOT), `clients-${key.digest('hex').slice(0, 16)}`)
  if (!existsSync(kept)) {
    writeFileSync(join(folder, 'generate.mjs'), PROGRAM)
    await run(process.execPath, [join(folder, 'generate.mjs')], { cwd: folder })
    const unfinished = `${kept}.${process.pid}`
    for (const name of GENERATED) cpSync(join(folder, name), join(unfinished, name))
    if (existsSync(kept)) rmSync(unfinished, { recursive: true })
    else renameSync(unfinished, kept)
  }
  for (const name of GENERATED) {
    const text = readFileSync(join(kept, name), 'utf8')
    writeFileSync(join(folder, name), text.replaceAll(ANYWHERE, base()))
  }
}

const PROGRAM = `import { writeFileSync } from 'node:fs'
    import openApiTypescript, { astToString } from 'openapi-typescript'
    import { generate } from 'orval'
    for (const one of ['v3', 'v2']) {
      const nodes = await openApiTypescript(new URL(\`./\${one}.json\`, import.meta.url))
      writeFileSync(\`./\${one}.ts\`, astToString(nodes))
      await generate({
        input: { target: \`./\${one}.json\` },
        output: { target: \`./orval-\${one}.ts\`, client: 'fetch', mode: 'single', baseUrl: '${ANYWHERE}' },
      })
    }`

/** Compiles programs strictly, all at once: most of the time goes into what they share. */
async function compile(programs: Readonly<Record<string, string>>): Promise<void> {
  const files = Object.keys(programs).map((name) => join(folder, `${name}.ts`))
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, `${name}.ts`), text)
  const options = ['--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022']
  const rest = ['--allowImportingTsExtensions', '--lib', 'es2023,dom,dom.iterable', '--types', 'node']
  const types = ['--typeRoots', fileURLToPath(new URL('../../../../node_modules/@types', import.meta.url))]
  await run(process.execPath, [TSC, ...FLAGS, ...options, ...rest, ...types, ...files], {
    cwd: folder,
    maxBuffer: 1e8,
  }).catch((error: { stdout: string }) => {
    throw new Error(`a generated client does not compile: ${error.stdout.slice(0, 3000)}`)
  })
}

/** Runs a program and returns what it reported. */
async function execute(name: string): Promise<readonly Reported[]> {
  const file = join(folder, `${name}.ts`)
  const [script, output] = [join(folder, `${name}.mjs`), join(folder, `${name}.jsonl`)]
  await build({ entryPoints: [file], outfile: script, bundle: true, format: 'esm', platform: 'node' })
  await run(process.execPath, [script, base(), output])
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Reported)
}

const routes = new Map(
  [...V3_ROUTES, ...EXPORT_ROUTES].map((route) => [`v3 ${verbOf(route)} ${route.path}`, route]),
)

/** Every operation was called once and its reply is the one that is declared. */
function expectReplies(replies: readonly Reported[]): void {
  const nameOf = ({ version, verb, path }: Call) => `${version} ${verb} ${path}`
  expect(replies.map(({ name }) => name)).toEqual(calls.map(nameOf))
  const rules = profileRules('standard')
  const wrong = replies.filter(({ name, status, data }) => {
    const route = routes.get(name)
    if (status !== 200) return true
    if (!route) return (data as Json)['ok'] !== true
    if (route.kind !== 'export') return !route.reply(rules).safeParse(data).success
    const [head = '', ...rest] = String(data).trimEnd().split(/\r?\n/)
    if (!head.startsWith('{')) return head !== columnsOf(route.list, rules).join(',') || rest.length === 0
    return [head, ...rest].some((row) => !route.reply(rules).safeParse(JSON.parse(row)).success)
  })
  expect(wrong.map(({ name, status, data }) => [name, status, JSON.stringify(data).slice(0, 200)])).toEqual(
    [],
  )
}

describe.runIf(areInstalled)('generated clients', () => {
  test('every operation of both descriptions is called', () => {
    const twice = EXPORT_ROUTES.length * 2
    expect(calls.filter(({ version }) => version === 'v3').length).toBe(V3_ROUTES.length + twice)
    expect(calls.filter(({ isExport }) => isExport).length).toBe(twice)
    const methods = Object.values(V2_METHODS).reduce((sum, { postOnly }) => sum + (postOnly ? 1 : 2), 0)
    expect(calls.filter(({ version }) => version === 'v2').length).toBeGreaterThan(methods)
  })

  test('openapi-typescript with openapi-fetch', async () => {
    const replies = await execute('with-fetch')
    expectReplies(replies)
    // The client returns what the server says, and asks for what the test names.
    for (const { name, url, data } of replies.filter((one) => one.name.startsWith('v3 get'))) {
      const reply = await fetch(url)
      expect(typeof data === 'string' ? await reply.text() : await reply.json(), name).toEqual(data)
    }
  })

  test('orval', async () => {
    expectReplies(await execute('with-orval'))
  })
})
