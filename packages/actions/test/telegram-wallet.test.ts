// Telegram wallets: hand-made traces, because no recorded one has such a wallet.
import type { Builder, Cell } from '@shardwalk/cells'
import { readTelegramRequest, TELEGRAM_WALLET } from '@shardwalk/contracts'
import { describe, expect, test } from 'vitest'
import {
  type ActionRow,
  classifyTrace,
  expandSupportedTypes,
  isShown,
  renderAction,
  type Trace,
} from '../src/index.ts'
import { addr, boc, buildTrace, op, q, type Sketch, storeAddr, text } from './build-trace.ts'
import { classify, internalTransfer, messageTo, only, ref, types, wallet } from './hand-made.ts'

const { changeKeyExternal, changeKeyInternal, keyChanged, rotation } = TELEGRAM_WALLET
const [KEY, PROOF, SECRET, LOGGED] = [32, 64, 32, 32].map((size, at) => Buffer.alloc(size, at + 1))
const cellOf = (bytes: Buffer): Cell => ref((b) => b.storeBytes(bytes))

/** The signature begins as the opcode of a jetton transfer, which the body is not. */
const request = (opcode: number): Builder =>
  op(0x0f8a7ea5).storeBytes(Buffer.alloc(60, 0x77)).storeUint(opcode, 32).storeUint(7, 96)
const keyChange = (opcode: number): Builder =>
  request(opcode).storeBytes(KEY!).storeRef(cellOf(PROOF!)).storeRef(cellOf(SECRET!))
const report = (opcode: number): Sketch => ({ to: null, body: op(opcode).storeBytes(LOGGED!) })

/** An external message with this body to ALICE, who sends. */
function external(body: Cell, sends: readonly Sketch[]): readonly ActionRow[] {
  const trace: Trace = buildTrace('ALICE', sends)
  const [first, ...others] = trace.transactions
  const inMessage = { ...first!.inMessage!, opcode: body.slice().loadUint(32), body: boc(body) }
  const { actions, failures } = classifyTrace(
    { ...trace, transactions: [{ ...first!, inMessage }, ...others] },
    new Map(),
  )
  expect(failures).toEqual([])
  return actions
}

const shown = (actions: readonly ActionRow[], version: string): string[] =>
  types(actions.filter((row) => isShown(row, expandSupportedTypes([version]))))

describe('a change of the key', () => {
  const details = {
    destination: addr('ALICE'),
    new_public_key: KEY!.toString('hex'),
    rotation_signature: PROOF!.toString('hex'),
  }

  test.each([keyChanged, rotation])('by the owner, with the log %i', (opcode) => {
    const actions = external(keyChange(changeKeyExternal).endCell(), [report(opcode)])
    const row = only(actions, 'change_wallet_key')
    expect(renderAction(row).details).toEqual({
      source: null,
      ...details,
      value: null,
      encrypted_old_private_key: LOGGED!.toString('hex'),
    })
    expect(row).toMatchObject({ success: true, accounts: [addr('ALICE')] })
  })

  test('is none without a log: the first revision keeps no former key and sends none', () => {
    const first = request(changeKeyExternal).storeBytes(KEY!).storeRef(cellOf(PROOF!))
    for (const body of [first, keyChange(changeKeyExternal)])
      expect(types(external(body.endCell(), []))).toEqual(['unknown'])
  })

  test('that somebody else pays for', () => {
    const sends = [{ to: 'BOB', value: 5n, body: keyChange(changeKeyInternal), sends: [report(keyChanged)] }]
    const actions = classify(sends)
    expect(renderAction(only(actions, 'change_wallet_key')).details).toEqual({
      ...details,
      source: addr('ALICE'),
      destination: addr('BOB'),
      value: '5',
      encrypted_old_private_key: LOGGED!.toString('hex'),
    })
    expect(shown(actions, 'v5')).toEqual(['change_wallet_key', 'gasless_request'])
    expect(shown(actions, 'v4')).toEqual(['call_contract'])
  })

  test('is none when the wallet ignores it, fails, or takes no such request this way', () => {
    const internal = (more: Partial<Sketch>, opcode = changeKeyInternal) =>
      types(classify([{ to: 'BOB', body: keyChange(opcode), ...more }]))
    for (const found of [
      internal({}),
      internal({ sends: [report(0x12345678)] }),
      internal({ aborted: true, sends: [report(keyChanged)] }),
    ])
      expect(found).toEqual(['call_contract', 'gasless_request'])
    expect(internal({ sends: [report(keyChanged)] }, changeKeyExternal)).toEqual(['call_contract'])
    expect(types(external(keyChange(changeKeyInternal).endCell(), [report(keyChanged)]))).toEqual(['unknown'])
  })

  test('by an external message is unknown to clients of `latest`, not missing', () => {
    const actions = external(keyChange(changeKeyExternal).endCell(), [report(keyChanged)])
    for (const version of ['v2', 'v4', 'latest']) expect(shown(actions, version)).toEqual(['unknown'])
    expect(shown(actions, 'v5')).toEqual(['change_wallet_key'])
  })
})

test('a call has the opcode of the request, not the beginning of its signature', () => {
  const body = request(TELEGRAM_WALLET.sendOneInternal)
    .storeUint(3, 8)
    .storeRef(messageTo('CAROL', 1n, cellOf(KEY!)))
  const row = only(classify([{ to: 'BOB', body, sends: [{ to: 'CAROL', value: 1n }] }]), 'call_contract')
  expect(renderAction(row).details).toMatchObject({ opcode: '0x63896e74', destination: addr('BOB') })
})

describe('the opcode of a request in a payload', () => {
  const hidden = (body: Builder): Builder =>
    body
      .storeUint(0, 512 - body.bits)
      .storeUint(TELEGRAM_WALLET.sendOneInternal, 32)
      .storeUint(0, 96 + 8)
      .storeRef(cellOf(KEY!))

  test('hides no transfer of jettons', () => {
    const transfer = storeAddr(storeAddr(q(0x0f8a7ea5).storeCoins(5_000_000n), 'BOB'), null)
    const body = hidden(transfer.storeBit(false).storeCoins(0n).storeBit(false))
    expect(readTelegramRequest(body.endCell().slice())).toBeDefined()
    const sends: Sketch[] = [{ to: 'BOB_J', body: internalTransfer(5_000_000n, 'ALICE') }]
    const facts = { ALICE_J: wallet('ALICE', 'JETTON'), BOB_J: wallet('BOB', 'JETTON') }
    expect(types(classify([{ to: 'ALICE_J', body, sends }], facts))).toEqual(['jetton_transfer'])
  })

  test('hides no transfer with a comment', () => {
    expect(types(classify([{ to: 'BOB', value: 1n, body: hidden(text('paid')) }]))).toEqual(['ton_transfer'])
  })
})

test('a transfer that a wallet was asked for and did not make is a failed one', () => {
  const asked = (to: string) =>
    messageTo(
      to,
      3n,
      ref((b) => b),
    )
  const one = request(TELEGRAM_WALLET.sendOneExternal).storeUint(3, 8).storeRef(asked('BOB'))
  const chunk = ref((b) =>
    b
      .storeMaybeRef(undefined)
      .storeUint(3, 8)
      .storeRef(asked('BOB'))
      .storeUint(3, 8)
      .storeRef(asked('CAROL')),
  )
  const many = request(TELEGRAM_WALLET.sendBulkExternal).storeUint(2, 8).storeMaybeRef(chunk)
  const results = [one, many].map((body) =>
    external(body.endCell(), []).map(({ type, success, destination }) => [type, success, destination]),
  )
  const failed = (name: string) => ['ton_transfer', false, addr(name)]
  expect(results).toEqual([[failed('BOB')], [failed('BOB'), failed('CAROL')]])
})
