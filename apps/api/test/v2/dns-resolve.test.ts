import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { FACTS } from './recorded-truth.ts'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

// `dnsResolve` as TON Center's current line has it: a domain, and the root of the network by default.

let api: RunningApi
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
})
afterAll(() => api?.close())

async function resolve(query: Readonly<Record<string, string>>): Promise<readonly [number, Json]> {
  const reply = await fetch(`${api.base}/dnsResolve?${new URLSearchParams(query)}`)
  return [reply.status, (await reply.json()) as Json]
}

const entriesOf = async (query: Readonly<Record<string, string>>): Promise<readonly Json[]> => {
  const [status, { result, error }] = await resolve(query)
  expect([status, error]).toEqual([200, undefined])
  return (result as Json)['entries'] as readonly Json[]
}

const NAMES = FACTS.dns.items
  .filter(({ records = {} }) => Object.keys(records).length > 0)
  .map(({ domain, zone }) => `${domain}.${zone}`)

test('a domain is resolved from the root of the network, under its own name', async () => {
  for (const domain of NAMES.slice(0, 3)) {
    const entries = await entriesOf({ domain })
    const before = await entriesOf({ address: FACTS.dns.root, name: domain, ttl: '10' })
    expect(entries).toEqual(before.map((entry) => ({ ...entry, name: domain })))
    expect(entries.length).toBeGreaterThan(0)
    expect(await entriesOf({ domain: `${domain.toUpperCase()}.`, seqno: '529' })).toEqual(entries)
    expect(await entriesOf({ domain, resolver_address: FACTS.dns.root })).toEqual(entries)
  }
  expect(await entriesOf({ domain: `nobody-has-this-name.${NAMES[0]!.split('.').at(-1)}` })).toEqual([])
})

test('what is no domain, or two questions at once, is refused', async () => {
  const [domain] = NAMES as [string]
  const wrong: readonly Readonly<Record<string, string>>[] = [
    ...['', '.', '.ton', 'sub..a.ton', 'a.ton..', 'bad name.ton', 'bad\0name.ton', 'a'.repeat(127)].map(
      (text) => ({ domain: text }),
    ),
    { domain, resolver_address: 'invalid' },
    { domain, seqno: '0' },
    { domain, address: FACTS.dns.root },
    {},
  ]
  for (const query of wrong) expect([query, (await resolve(query))[0]]).toEqual([query, 422])
  const [status] = await resolve({ domain, resolver_address: `0:${'0'.repeat(64)}` })
  expect(status).toBe(500)
})
