import { describe, expect, test } from 'vitest'
import { A, KEY, openHub } from '../test/open-hub.ts'
import { supportedTypes, wantedTypes } from './action-types.ts'
import type { Protocol } from './protocol.ts'
import { V1 } from './protocol-v1.ts'
import { V2 } from './protocol-v2.ts'

const read = (protocol: Protocol, options: object) =>
  protocol.readSubscription({ types: ['actions'], addresses: [A], ...options }, { wire: 'ws' })

const UNKNOWN = Array.from({ length: 1_000 }, (_, i) => `unknown_${i}`)

describe.each([V1, V2])('types of actions in $version', (protocol) => {
  test.each(['action_types', 'supported_action_types'])('%s have bounds', (member) => {
    expect(() => read(protocol, { [member]: [...UNKNOWN, 'nft'] })).toThrow(
      `too many ${member}: 1001 > max 1000`,
    )
    expect(() => read(protocol, { [member]: ['n'.repeat(65)] })).toThrow(
      `${member} has a name of more than 64 characters`,
    )
    expect(() => read(protocol, { [member]: ['n'.repeat(64), ...UNKNOWN.slice(1)] })).not.toThrow()
  })

  test('are kept if there are actions of them', () => {
    const names = [...UNKNOWN.slice(2), 'nft_transfer', 'multisig_execute']
    const { actionTypes, supportedTypes: supported } = read(protocol, {
      ...{ action_types: names, supported_action_types: names },
    })
    expect(actionTypes).toEqual(new Set(['nft_transfer', 'multisig_execute']))
    expect(supported).toEqual(new Set([...supportedTypes(['v1'], undefined), 'multisig_execute']))
    expect(read(protocol, { action_types: ['unknown_1'] }).actionTypes).toEqual(new Set())
  })
})

test('equal lists are one set, in any order, however many other lists there were', () => {
  for (let i = 0; i < 1_000; i++) supportedTypes([`${i}`], undefined)
  const sets = [
    ['nft', 'x'],
    ['y', 'nft_mint', 'nft'],
  ].map((names) => supportedTypes(names, undefined))
  expect(sets[0]).toBe(sets[1])
  expect(wantedTypes(['nft_mint', 'nft_transfer'])).toBe(wantedTypes(['nft_transfer', 'x', 'nft_mint']))
})

test('actions are rendered once for all who want the same types', async () => {
  const { hub, connect } = openHub()
  const wanted = { types: ['actions'], addresses: [A] }
  const [one, two, other] = [
    connect({ ...wanted, action_types: ['ton_transfer', 'nft_mint'] }),
    connect({ ...wanted, action_types: ['nft_mint', 'ton_transfer'] }),
    connect({ ...wanted, action_types: ['ton_transfer'] }),
  ]
  const actions = ['ton_transfer', 'nft_mint'].map((type) => ({
    ...{ type, ancestorTypes: [], accounts: [A], listed: [A], reply: `{"type":"${type}"}` },
  }))
  await hub.publish({ kind: 'actions', finality: 'finalized', key: KEY, actions })
  expect(one.frames[0]).toBe(two.frames[0])
  expect(other.got).toMatchObject([{ actions: [{ type: 'ton_transfer' }] }])
})
