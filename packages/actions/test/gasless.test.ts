// Requests that the owner of a wallet signed and somebody else sent: hand-made traces.
import { createHash } from 'node:crypto'
import type { Builder } from '@shardwalk/cells'
import { TELEGRAM_WALLET, WALLET } from '@shardwalk/contracts'
import { expect, test } from 'vitest'
import {
  type ActionRow,
  classifyTrace,
  expandSupportedTypes,
  isShown,
  renderAction,
  rowToJson,
} from '../src/index.ts'
import { addr, boc, buildTrace, op, q, type Sketch, storeAddr, text } from './build-trace.ts'
import { classify, internalTransfer, messageTo, only, ref, types, wallet } from './hand-made.ts'

const { sendOneInternal, sendOneExternal, sendBulkInternal, changeKeyInternal, keyChanged } = TELEGRAM_WALLET

const toV5 = (): Builder => op(WALLET.signedInternalV5)
const toTelegram = (opcode: number): Builder =>
  op(0x01020304).storeUint(0, 480).storeUint(opcode, 32).storeUint(0, 96)
const toTelegramOne = (opcode = sendOneInternal): Builder =>
  toTelegram(opcode)
    .storeUint(3, 8)
    .storeRef(ref((b) => b))
const toTelegramKey = (): Builder =>
  toTelegram(changeKeyInternal)
    .storeUint(1, 256)
    .storeRef(ref((b) => b.storeUint(0, 512)))

/** ALICE relays to WALLET, which sends. */
const relayed = (more: Partial<Sketch> = {}): Sketch => ({ to: 'WALLET', value: 5n, body: toV5(), ...more })
const paid = (to: string, sends: readonly Sketch[] = []): Sketch => ({ to, body: text('paid'), sends })

const idOf = ({ tx_hashes, type }: ActionRow, message: string): string =>
  tx_hashes.length > 0 ? createHash('sha256').update(`${message}${type}`).digest('base64') : ''
const parentOf = (row: ActionRow): string | undefined => row.parent_gasless_action

test.each([
  ['a wallet v5', toV5()],
  ['a Telegram wallet', toTelegramOne()],
  [
    'a Telegram wallet, for many messages',
    toTelegram(sendBulkInternal).storeUint(0, 8).storeMaybeRef(undefined),
  ],
])('a request to %s is an action beside its call', (_, body) => {
  const trace = buildTrace('ALICE', [relayed({ body, sends: [paid('BOB')] })])
  const { actions } = classifyTrace(trace, new Map())
  expect(types(actions)).toEqual(['call_contract', 'ton_transfer', 'gasless_request'])
  const request = only(actions, 'gasless_request')
  const [sender, receiver] = trace.transactions
  expect(request).toMatchObject({
    action_id: idOf(request, receiver!.inMessage!.hash),
    success: true,
    tx_hashes: [sender!.hash, receiver!.hash],
    accounts: [addr('ALICE'), addr('WALLET')].sort(),
    start_lt: receiver!.inMessage!.createdLt,
    end_lt: receiver!.lt,
    parent_action_id: null,
    ancestor_type: [],
  })
  expect(renderAction(request)).toEqual({
    type: 'gasless_request',
    details: { source: addr('ALICE'), destination: addr('WALLET'), value: '5' },
  })
})

test('other calls, and requests that no account sent, are none', () => {
  const external = boc(toV5().endCell())
  const trace = buildTrace('ALICE', [paid('BOB')])
  const [first, ...others] = trace.transactions
  const inMessage = { ...first!.inMessage!, opcode: WALLET.signedInternalV5, body: external }
  const { actions } = classifyTrace(
    { ...trace, transactions: [{ ...first!, inMessage }, ...others] },
    new Map(),
  )
  expect(types(actions)).toEqual(['ton_transfer'])
  for (const body of [op(WALLET.signedExternalV5), toTelegramOne(sendOneExternal), op(0x01020304)])
    expect(types(classify([relayed({ body })]))).toEqual(['call_contract'])
})

test('a log with the opcode of a request is none', () => {
  const log: Sketch = { to: null, body: toV5() }
  expect(types(classify([{ to: 'BOB', body: op(7), sends: [log] }]))).toEqual(['call_contract'])
})

test('a request has failed if the transaction has, also without value, when the call has not', () => {
  const outcomes = [5n, 0n].map((value) => {
    const actions = classify([relayed({ value, aborted: true })])
    return actions.map(({ type, success }) => [type, success])
  })
  const request = ['gasless_request', false]
  expect(outcomes).toEqual([
    [['call_contract', false], request],
    [['call_contract', true], request],
  ])
})

test('what follows immediately names the request, the call and what other contracts did do not', () => {
  const actions = classify([relayed({ sends: [paid('BOB', [paid('CAROL')]), { to: 'DAVE', body: op(7) }] })])
  const { action_id: request } = only(actions, 'gasless_request')
  expect(actions.map((row) => [row.type, row.destination, parentOf(row)])).toEqual([
    ['call_contract', addr('WALLET'), undefined],
    ['ton_transfer', addr('BOB'), request],
    ['call_contract', addr('DAVE'), request],
    ['ton_transfer', addr('CAROL'), undefined],
    ['gasless_request', addr('WALLET'), undefined],
  ])
})

test('a request within a request names the outer one', () => {
  const inner = relayed({ to: 'INNER', sends: [paid('BOB')] })
  const actions = classify([relayed({ sends: [inner] })])
  const [outer, within] = actions.filter(({ type }) => type === 'gasless_request')
  expect([outer!, within!].map(parentOf)).toEqual([undefined, outer!.action_id])
  expect(parentOf(only(actions, 'ton_transfer'))).toBe(within!.action_id)
  const call = actions.find(
    ({ type, destination }) => type === 'call_contract' && destination === addr('INNER'),
  )
  expect(parentOf(call!)).toBe(outer!.action_id)
})

test('a request that deploys the wallet: the deployment follows from it', () => {
  const actions = classify([relayed({ deploys: true })])
  expect(types(actions)).toEqual(['call_contract', 'contract_deploy', 'gasless_request'])
  expect(parentOf(only(actions, 'contract_deploy'))).toBe(only(actions, 'gasless_request').action_id)
})

test('a transfer of jettons that the wallet was asked for', () => {
  const transfer = storeAddr(storeAddr(q(0x0f8a7ea5).storeCoins(5n), 'BOB'), null)
  const body = transfer.storeBit(false).storeCoins(0n).storeBit(false)
  const sends = [{ to: 'BOB_J', body: internalTransfer(5n, 'WALLET') }]
  const facts = { WALLET_J: wallet('WALLET', 'JETTON'), BOB_J: wallet('BOB', 'JETTON') }
  const actions = classify([relayed({ sends: [{ to: 'WALLET_J', body, sends }] })], facts)
  expect(types(actions)).toEqual(['call_contract', 'jetton_transfer', 'gasless_request'])
  expect(parentOf(only(actions, 'jetton_transfer'))).toBe(only(actions, 'gasless_request').action_id)
})

test('a request that is part of another action is there once, and that action follows from it', () => {
  const log: Sketch = { to: null, body: op(keyChanged).storeUint(2, 256) }
  const actions = classify([relayed({ body: toTelegramKey(), sends: [log] })])
  expect(types(actions)).toEqual(['change_wallet_key', 'call_contract', 'gasless_request'])
  expect(parentOf(only(actions, 'change_wallet_key'))).toBe(only(actions, 'gasless_request').action_id)
  expect(parentOf(only(actions, 'call_contract'))).toBeUndefined()
})

test('a relayed request that a wallet did not send has failed', () => {
  const trace = buildTrace('ALICE', [])
  const [first] = trace.transactions
  const asked = messageTo('WALLET', 5n, toV5().endCell())
  const one = toTelegram(sendOneExternal).storeUint(3, 8).storeRef(asked).endCell()
  const inMessage = { ...first!.inMessage!, opcode: 0x01020304, body: boc(one) }
  const { actions } = classifyTrace({ ...trace, transactions: [{ ...first!, inMessage }] }, new Map())
  expect(actions.map(({ type, success, accounts }) => [type, success, accounts])).toEqual([
    ['call_contract', false, [addr('ALICE')]],
    ['gasless_request', false, [addr('ALICE')]],
  ])
})

test('only clients of v5, or of the type, see it; others what they saw before', () => {
  const actions = classify([relayed({ sends: [paid('BOB')] })])
  const shown = (...supported: string[]) =>
    types(actions.filter((row) => isShown(row, expandSupportedTypes(supported))))
  const before = ['call_contract', 'ton_transfer']
  for (const version of ['v1', 'v4', 'latest']) expect(shown(version)).toEqual(before)
  for (const asked of ['v5', 'gasless_request']) expect(shown(asked)).toEqual([...before, 'gasless_request'])
  const others = actions.filter(({ type }) => type === 'call_contract')
  expect(rowToJson(others)).not.toContain('gasless')
})
