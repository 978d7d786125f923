import { createMetrics } from '@shardwalk/observability'
import { survivors } from '@shardwalk/testkit/collect-garbage'
import type { Request, Response } from 'express'
import { expect, test } from 'vitest'
import { accessControl } from './access-control.ts'
import { chargeMore } from './charges.ts'

const control = accessControl({
  keys: { isConfigured: async () => false, isKnown: () => false, find: async () => undefined },
  failures: { begin: async () => 0, succeed: async () => {} },
  limits: { take: async () => ({ allowed: true, limit: 10, remaining: 9, resetMs: 1000 }) },
  anonymousRps: 0,
  openRps: 10,
  globalId: async () => undefined,
  metrics: createMetrics(),
})

/** An exchange of a client with a limit of its own. */
function exchange(): { readonly request: Request; readonly response: Response; readonly set: string[] } {
  const set: string[] = []
  const response = { locals: {}, setHeader: (name: string) => set.push(name) } as unknown as Response
  const request = { ip: '192.0.2.1', res: response, headers: {}, url: '/' } as Request
  response.req = request
  return { request, response, set }
}

test('what a route costs is charged to the client of its request, if that has a limit', async () => {
  const { request, response, set } = exchange()
  await chargeMore(request, 4)
  expect(set).toEqual([])
  await control(request, response, () => {})
  const admitted = set.length
  await chargeMore(request, 4)
  expect(set.slice(admitted)).toEqual(set.slice(0, admitted))
  expect(admitted).toBeGreaterThan(0)
})

test('nothing of a request becomes old because its client has a limit', async () => {
  const old = await survivors(20, async (mark) => {
    const { request, response } = exchange()
    mark(request)
    await control(request, response, () => {})
  })
  expect(old).toBeLessThan(3)
})
