import { expect, test } from 'vitest'
import { checkLimits, readSubscription } from './subscription.ts'

const RAW = '0:8930B0D4B83B6203431F03B9E1E5092B4AB6776F02D7DD87F31082CB6336FECC'
const HASH = 'GFe/zAi7MT3aTjka5D28dz09m8luKJyTKJ8bE6DJQk0='
const limits = { addresses: 2, traces: 2 }
const read = (body: unknown, wire: 'sse' | 'ws' = 'sse') => readSubscription(body, { wire })
const fails = (body: unknown, wire: 'sse' | 'ws' = 'sse'): string => {
  try {
    checkLimits(read(body, wire), limits, wire)
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

test('all forms of an address are one', () => {
  const { addresses } = read({
    types: ['transactions'],
    addresses: [
      RAW,
      RAW.toLowerCase(),
      'UQCJMLDUuDtiA0MfA7nh5QkrSrZ3bwLX3YfzEILLYzb-zGLK',
      '0QCJMLDUuDtiA0MfA7nh5QkrSrZ3bwLX3YfzEILLYzb-zNlA',
    ],
  })
  expect([...addresses]).toEqual([RAW])
})

test('a trace hash in hex, base64 or base64url is one', () => {
  const hex = Buffer.from(HASH, 'base64').toString('hex')
  const forms = [HASH, ` ${HASH} `, HASH.replaceAll('+', '-').replaceAll('/', '_'), HASH.slice(0, -1), hex]
  const { traces } = read({ types: ['trace'], trace_external_hash_norms: [...forms, `0x${hex}`] })
  expect([...traces]).toEqual([HASH])
})

const ROWS: [body: unknown, sse: string, ws: string][] = [
  [[], 'invalid subscription request: body must be a JSON object', ''],
  [{ types: 'x' }, 'invalid subscription request: types must be a list of texts', ''],
  [
    { types: ['transactions'], include_metadata: 1 },
    'invalid subscription request: include_metadata must be true or false',
    '',
  ],
  [{ types: ['actions'], min_finality: 'X' }, 'invalid subscription request: unknown finality state: X', ''],
  [{}, 'types are required for subscription', 'types are required'],
  [{ types: ['blocks'] }, 'invalid event type: blocks', 'invalid event type: blocks'],
  [{ types: ['actions'], addresses: ['EQ'] }, 'invalid address: EQ', 'invalid address: EQ'],
  [
    { types: ['trace'], trace_external_hash_norms: [' '] },
    'trace_external_hash_norms contains empty value',
    'trace_external_hash_norms contains empty value',
  ],
  [
    { types: ['trace'], trace_external_hash_norms: ['zz'] },
    'invalid trace external hash norm: zz',
    'invalid trace external hash norm: zz',
  ],
  [
    { types: ['actions'], addresses: [RAW], trace_external_hash_norms: [HASH] },
    'trace_external_hash_norms requires type "trace"',
    'trace_external_hash_norms requires type "trace"',
  ],
  [
    { types: ['trace'] },
    'trace_external_hash_norms are required for trace subscription',
    'trace_external_hash_norms are required for trace subscription',
  ],
  [{ types: ['actions'] }, 'addresses are required for subscription', 'addresses are required'],
  [{ types: ['trace_invalidated'] }, 'addresses are required for subscription', 'addresses are required'],
  [
    { types: ['actions'], addresses: ['0', '1', '2'].map((d) => `0:${d.repeat(64)}`) },
    'too many addresses: 3 > max 2',
    'address limit exceeded: current 0 + new 3 > max 2',
  ],
]

test.each(ROWS)('%j is refused in the words of TON Center', (body, sse, ws) => {
  expect(fails(body)).toBe(sse)
  expect(fails(body, 'ws')).toBe(ws || sse.replace('subscription', 'subscribe'))
})

test('invalidations are implicit, so asking for them changes nothing', () => {
  expect(fails({ types: ['trace_invalidated'], addresses: [RAW] })).toBe('accepted')
  expect(fails({ types: ['trace', 'trace_invalidated'], trace_external_hash_norms: [HASH] })).toBe('accepted')
  expect(fails({ types: ['trace'], trace_external_hash_norms: [HASH], addresses: [RAW] })).toBe('accepted')
})

test('what is not said is the default', () => {
  const subscription = read({ types: ['actions'], addresses: [RAW], action_types: [], accounts: [HASH] })
  expect(subscription).toMatchObject({ minFinality: 'finalized', addressBook: false, metadata: false })
  expect(subscription.actionTypes).toBeUndefined()
  expect(subscription.supportedTypes.has('jetton_transfer')).toBe(true)
})
