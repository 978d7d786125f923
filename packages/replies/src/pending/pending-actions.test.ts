import type { ActionRow } from '@shardwalk/actions'
import { expect, test } from 'vitest'
import { actionTexts } from '../emulated/action-texts.ts'
import { type PendingAction, renderPendingActions } from './pending-actions.ts'
import type { PendingTrace } from './pending-traces.ts'

const HASHES = [1, 2].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer]
const ACTION = {
  type: 'ton_transfer',
  action_id: Buffer.alloc(32, 3).toString('base64'),
  start_lt: 1n,
  end_lt: 2n,
  start_utime: 1,
  end_utime: 2,
  trace_end_lt: 2n,
  trace_end_utime: 2,
  trace_mc_seqno_end: 0,
  success: true,
  tx_hashes: [],
  accounts: [],
  ancestor_type: [],
} as Partial<ActionRow>

const replyOf = (...of: Parameters<typeof pendingAction>): string => pendingAction(...of).reply

function pendingAction(hash: Buffer, hashNorm: Buffer, columns: Partial<ActionRow> = {}): PendingAction {
  const trace = {
    row: { hash, hash_norm: hashNorm, trace_id: null },
    stored: { actions: [{ ...ACTION, ...columns }], expected: [], happened: [] },
    nodes: [],
    received: new Set(),
  } as unknown as PendingTrace
  const [action] = renderPendingActions({ testOnly: false, marketplaces: new Map() }, trace)
  return action!
}

const actionOf = (hash: Buffer, hashNorm: Buffer): Record<string, unknown> =>
  JSON.parse(replyOf(hash, hashNorm))

test('a pending action has the normalised hash of its message only if that differs', () => {
  const [sent, normalised] = HASHES.map((hash) => hash.toString('base64'))
  expect(actionOf(...HASHES)).toMatchObject({
    trace_external_hash: sent,
    trace_external_hash_norm: normalised,
  })
  const same = actionOf(HASHES[1], HASHES[1])
  expect(same).toMatchObject({ trace_external_hash: normalised })
  expect(same).not.toHaveProperty('trace_external_hash_norm')
})

test('a pending or emulated action names the request that it follows from to clients of v5', () => {
  const parent_gasless_action = Buffer.alloc(32, 9).toString('base64')
  const link = `"parent_gasless_action":"${parent_gasless_action}"`
  const pending = pendingAction(...HASHES, { parent_gasless_action })
  for (const texts of [pending, pending.whole()]) {
    expect(texts.reply).not.toContain('parent_gasless_action')
    expect(texts.replyWithGasless).toContain(link)
  }
  expect(pendingAction(...HASHES).replyWithGasless).toBeUndefined()
  const context = { testOnly: false, marketplaces: new Map() }
  const emulated = { ...ACTION, parent_gasless_action, trace_external_hash: null } as ActionRow
  const [old, current] = [undefined, 'v5'].map(
    (version) => actionTexts([emulated], { context, version, externalHashNorm: undefined })[0],
  )
  expect(old).not.toContain('parent_gasless_action')
  expect(current).toContain(link)
})

test('numbers of a pending or emulated action keep their digits, however many', () => {
  const send = { send_request_id: 2n ** 64n - 1n, native_fee: 2n ** 128n - 1n, zro_fee: 0n }
  const columns = { type: 'layerzero_send', layerzero_send_data: send } as Partial<ActionRow>
  const digits = `"send_request_id":${2n ** 64n - 1n},"native_fee":${2n ** 128n - 1n},"zro_fee":0`
  expect(replyOf(...HASHES, columns)).toContain(digits)
  const context = { testOnly: false, marketplaces: new Map() }
  const emulated = { ...ACTION, ...columns, trace_external_hash: null } as ActionRow
  const options = { context, version: undefined, externalHashNorm: undefined }
  expect(actionTexts([emulated], options)[0]).toContain(digits)
})
