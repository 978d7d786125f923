import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { v2OpenApiDocument } from './openapi.ts'

interface Recorded {
  readonly http: { readonly body?: { readonly method?: string } }
  readonly status: number
}
const FILE = new URL('../../../../fixtures/api-v2/json-rpc.json.gz', import.meta.url)
const recorded = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly Recorded[]

const { paths, components } = v2OpenApiDocument({ version: '0' }) as {
  readonly paths: Record<string, { readonly post?: { readonly responses: object } }>
  readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, object> }> }
}

test('every status of the recorded replies is described, of the method and of JSON-RPC', () => {
  const statuses = new Set<number>()
  for (const { http, status } of recorded) {
    const path = paths[`/api/v2/${http.body?.method}`]
    if (!path) continue
    statuses.add(status)
    expect(path.post!.responses, http.body!.method!).toHaveProperty(String(status))
    expect(paths['/api/v2/jsonRPC']!.post!.responses).toHaveProperty(String(status))
  }
  expect([...statuses].sort()).toEqual([200, 409, 422, 500])
})

test('the id of an envelope is not described as that of a block', () => {
  for (const name of ['Failure', 'GetAddressBalanceResponse'])
    expect(components.schemas[name]!.properties['id']).toMatchObject({
      description: 'Repeated from a JSON-RPC request.',
    })
})
