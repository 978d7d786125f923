import { expect, test } from 'vitest'
import { serversOf } from './status-servers.ts'

const none = { timeouts: 0, rate_limits: 0, wrong_answers: 0, disconnects: 0 }

test('errors of a server are those that the API and ingest saw', () => {
  const server = {
    ...{ name: 'a:1', state: 'ready' as const, headSeqno: 5, latencyMs: 1, archive: true, nonfinal: false },
    ...{ missingUpTo: undefined, requestsPerSecond: undefined, inFlight: 0, window: 1, problem: 'old' },
    faults: { ...none, timeouts: 2 },
  } as const
  const ofIngest = [
    { name: 'b:2', faults: { ...none, disconnects: 9 } },
    { name: 'a:1', faults: { ...none, timeouts: 1, rate_limits: 4 } },
  ]
  const [shown] = serversOf([server], ofIngest)
  expect(shown).toMatchObject({ problem: null, faults: { ...none, timeouts: 3, rate_limits: 4 } })
  expect(serversOf([server], [])[0]!.faults).toEqual(server.faults)
})
