import { expect, test } from 'vitest'
import { failureBody } from './failure-body.ts'

test('a request that failed early is answered in the form of the API that it asked', () => {
  const failure = { message: 'too many bytes in flight', status: 503 }
  const inV2 = { ok: false, error: 'too many bytes in flight', code: 503, '@extra': '_' }
  expect(JSON.parse(failureBody('/api/v2/getMasterchainInfo', failure))).toEqual(inV2)
  expect(JSON.parse(failureBody('/API/v2/jsonRPC', failure))).toEqual(inV2)
  expect(JSON.parse(failureBody('/api/v2', failure))).toEqual(inV2)
  const inV3 = { error: 'too many bytes in flight', code: 503 }
  expect(JSON.parse(failureBody('/api/v3/blocks', failure))).toEqual(inV3)
})
