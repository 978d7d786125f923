import { expect, test } from 'vitest'
import type { Json, Query } from '../client.ts'
import { type ChainUnderApi, facts, STRANGER } from './chain-under-api.ts'

const wallets: string[] = facts.jettons[0].wallets.map((one: Json) => String(one['address']))
const sales: string[] = facts.nft_sales.map((one: Json) => String(one['address']))

/** Endpoints that return one object: maximum number of values, the error for more, a valid request. */
const OBJECTS: readonly {
  path: string
  max: number
  refusal: RegExp
  missing: string
  addresses: readonly string[]
}[] = [
  {
    path: 'accountStates',
    max: 1000,
    refusal: /^parameter "address" takes at most 1000 values, got 1001$/,
    missing: 'address of account is required',
    addresses: wallets,
  },
  {
    path: 'walletStates',
    max: 1000,
    refusal: /^parameter "address" takes at most 1000 values, got 1001$/,
    missing: 'address of account is required',
    addresses: wallets,
  },
  {
    path: 'addressBook',
    max: 1024,
    refusal: /^parameter "address" takes at most 1024 values, got 1025$/,
    missing: 'at least 1 address required',
    addresses: wallets,
  },
  {
    path: 'metadata',
    max: 1024,
    refusal: /^parameter "address" takes at most 1024 values, got 1025$/,
    missing: 'at least 1 address required',
    addresses: wallets,
  },
  {
    path: 'nft/sales',
    max: 1000,
    refusal: /^maximum 1000 addresses allowed$/,
    missing: 'at least 1 address required',
    addresses: sales,
  },
]

export function objectRules(chain: () => ChainUnderApi): void {
  for (const { path, max, refusal, missing, addresses } of OBJECTS)
    test(`${path}: requires addresses, accepts ${max}, refuses more, in both profiles`, async () => {
      const { standard, toncenter } = chain().clients
      const ask = async (query: Query) => (await standard.get(path, query)).body
      expect(await ask({})).toEqual({ error: missing, code: 422 })
      expect(await ask({ address: Array(max + 1).fill(STRANGER) })).toEqual({
        error: expect.stringMatching(refusal),
        code: 422,
      })
      const full = [...Array(max - addresses.length).fill(STRANGER), ...addresses]
      expect(await ask({ address: full })).toEqual(
        path === 'addressBook'
          ? { ...(await ask({ address: addresses })), ...(await ask({ address: STRANGER })) }
          : await ask({ address: addresses }),
      )
      const { body } = await toncenter.get(path, { address: addresses, limit: 1 })
      expect(body).toEqual(await ask({ address: addresses }))
      expect((await standard.get(path, { address: addresses, limit: 1 })).status).toBe(422)
      const posted = await fetch(standard.url(path), { method: 'POST' })
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    })

  test('an empty or invalid address is refused for rows, and gives nulls or nothing for texts', async () => {
    for (const path of ['accountStates', 'walletStates', 'nft/sales'])
      for (const address of ['', 'garbage', `${wallets[0]},`])
        expect((await chain().client.get(path, { address })).status, `${path} ${address}`).toBe(422)
    expect((await chain().client.get('metadata', { address: ['garbage', ''] })).body).toEqual({})
  })

  test('invalid request settings, and a sufficient timeout, have no effect', async () => {
    const query = { address: wallets[0] }
    const { body } = await chain().client.get('accountStates', query)
    for (const headers of [
      { 'X-Timeout': 'x' },
      { 'X-No-Metadata': 'maybe' },
      { 'X-Timeout': '2999' },
    ] as Record<string, string>[])
      expect((await chain().client.get('accountStates', query, headers)).body).toEqual(body)
  })
}
