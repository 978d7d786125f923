import type { ActionRow } from '@shardwalk/actions'
import { expect, test } from 'vitest'
import { renderPendingActions } from './pending-actions.ts'
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

function actionOf(hash: Buffer, hashNorm: Buffer): Record<string, unknown> {
  const trace = {
    row: { hash, hash_norm: hashNorm, trace_id: null },
    stored: { actions: [ACTION], expected: [], happened: [] },
    nodes: [],
    received: new Set(),
  } as unknown as PendingTrace
  const [action] = renderPendingActions({ testOnly: false, marketplaces: new Map() }, trace)
  return JSON.parse(action!.reply)
}

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
