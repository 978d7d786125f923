import { expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { type Case, type ComparedChain, eachFilter, isByTime } from './compared-chain.ts'
import type { ExpectedMessage } from './expected-chain.ts'
import { EMPTY, EMPTY_HASH } from './orders.ts'

const is = (kind: string) => (m: ExpectedMessage) => m.kind === kind
const MESSAGE_CASES: readonly Case<ExpectedMessage>[] = [
  ['nothing', () => ({}), () => true],
  ['no externals', () => ({ exclude_externals: true }), (m) => m.kind !== 'external_in'],
  ['only externals', () => ({ only_externals: true }), is('external_in')],
  ['both externals flags', () => ({ exclude_externals: true, only_externals: true }), () => false],
  ['source', (of) => ({ source: of.internal.source }), (m, of) => m.source === of.internal.source],
  ['source null', () => ({ source: 'null' }), is('external_in')],
  [
    'the system as source',
    () => ({ source: `-1:${'00'.repeat(32)}` }),
    (m) => m.source === `-1:${'00'.repeat(32)}`,
  ],
  ['destination', (of) => ({ destination: of.accounts[5]! }), (m, of) => m.destination === of.accounts[5]],
  ['destination null', () => ({ destination: 'null' }), is('external_out')],
  [
    'source and destination',
    (of) => ({ source: of.internal.source, destination: of.internal.destination }),
    (m, of) => m.source === of.internal.source && m.destination === of.internal.destination,
  ],
  [
    'opcode',
    (of) => ({ opcode: `0x${of.internal.opcode!.toString(16)}` }),
    (m, of) => m.opcode === of.internal.opcode,
  ],
  ['opcode 0', () => ({ opcode: '0x0' }), (m) => m.opcode === 0],
  ['hash', (of) => ({ msg_hash: of.internal.hash.toString('hex') }), (m, of) => m === of.internal],
  [
    'hash by its older name',
    (of) => ({ hash: of.internal.hash.toString('base64url').padEnd(44, '=') }),
    (m, of) => m === of.internal,
  ],
  [
    'hashes by their older name',
    (of) => ({ hash: [of.internal.hash.toString('hex'), of.normalised.hashNorm!.toString('base64')] }),
    (m, of) => m === of.internal || (m.hashNorm?.equals(of.normalised.hashNorm!) ?? false),
  ],
  [
    'normalised hash',
    (of) => ({ msg_hash: of.normalised.hashNorm!.toString('base64') }),
    (m, of) => m.hashNorm?.equals(of.normalised.hashNorm!) ?? false,
  ],
  [
    'body',
    (of) => ({ body_hash: of.internal.bodyHash.toString('hex') }),
    (m, of) => m.bodyHash.equals(of.internal.bodyHash),
  ],
  ['empty body', () => ({ body_hash: EMPTY }), (m) => m.bodyHash.equals(EMPTY_HASH)],
  ['received', () => ({ direction: 'in' }), (m) => m.inTx !== undefined],
  ['sent', () => ({ direction: 'out' }), (m) => m.outTx !== undefined],
  [
    'period',
    (of) => ({ start_utime: of.time(0.4), end_utime: of.time(0.7) }),
    (m, of) => m.createdAt !== undefined && m.createdAt >= of.time(0.4) && m.createdAt <= of.time(0.7),
  ],
  [
    'period and destination',
    (of) => ({ end_utime: of.time(0.7), destination: of.accounts[3]! }),
    (m, of) => m.createdAt !== undefined && m.destination === of.accounts[3] && m.createdAt <= of.time(0.7),
  ],
  [
    'range of lt',
    (of) => ({ start_lt: of.lt(0.4), end_lt: of.lt(0.7) }),
    (m, of) => m.createdLt !== undefined && m.createdLt >= of.lt(0.4) && m.createdLt <= of.lt(0.7),
  ],
  [
    'start_lt=1, the advised way to the newest internal ones',
    () => ({ start_lt: 1 }),
    (m) => m.createdLt !== undefined,
  ],
  ['externals with a bound', () => ({ only_externals: true, start_lt: 1 }), () => false],
  ['a source nobody saw', () => ({ source: `0:${'AB'.repeat(32)}` }), () => false],
]

export function messageLists(chain: () => ComparedChain): void {
  eachFilter({ list: 'messages', cases: MESSAGE_CASES }, chain, async (query, matches) => {
    const expected = chain().messages(query.sort, isByTime(query)).filter(matches)
    await chain().expectPaging('messages', 'messages', query, expected)
  })

  test('a direction selects only that side of a message', async () => {
    for (const [direction, own, other] of [
      ['in', 'in_msg_tx_hash', 'out_msg_tx_hash'],
      ['out', 'out_msg_tx_hash', 'in_msg_tx_hash'],
    ] as const) {
      const { body } = await chain().client.get('messages', { direction, limit: 50 })
      for (const row of body['messages'] as Json[]) {
        expect(row).toHaveProperty(own)
        expect(row).not.toHaveProperty(other)
      }
    }
  })
}
