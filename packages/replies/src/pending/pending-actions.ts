import { type ActionRow, renderAction } from '@shardwalk/actions'
import { rawAddressesIn, toActionReply, toJsonText } from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import { type ActionPart, lower } from '@shardwalk/streaming'
import { actionNames, textsForAll } from '../actions/action-reply.ts'
import { latestFirst } from '../emulated/action-texts.ts'
import type { RenderContext } from '../render-context.ts'
import { type PendingTrace, traceIdOf } from './pending-traces.ts'

/** An action of a pending trace, rendered. */
export interface PendingAction extends ActionPart {
  readonly row: ActionRow
  /** With the transactions that it covers. */
  readonly whole: () => Pick<ActionPart, 'reply' | 'replyWithGasless'>
}

/** The actions of a pending trace, the latest first. */
export function renderPendingActions(
  context: Pick<RenderContext, 'testOnly' | 'marketplaces'>,
  trace: PendingTrace,
): PendingAction[] {
  const texts = new Map(trace.nodes.map((node) => [node.hash.toString('base64'), node]))
  const names = actionNames(context)
  return [...trace.stored.actions].sort(latestFirst).map((row) => {
    const { type, details } = renderAction(row, names)
    const covered = row.tx_hashes.map((hash) => texts.get(hash))
    const view = {
      row: envelopeOf(row, trace),
      type,
      details: toJsonText(details),
      parentGaslessAction: row.parent_gasless_action,
      accounts: row.accounts,
      finality: covered.map((node) => node?.finality ?? 'pending').reduce(lower, 'finalized'),
    }
    const shown = textsForAll(view, toActionReply)
    return {
      row,
      type: row.type,
      ancestorTypes: row.ancestor_type,
      accounts: row.accounts,
      ...shown,
      whole: () =>
        textsForAll({ ...view, transactions: covered.flatMap((node) => node?.reply ?? []) }, toActionReply),
      listed: [...new Set([...row.accounts, ...rawAddressesIn(shown.reply).map(formatRawAddress)])],
    }
  })
}

/** The id of the trace is known once its root has happened. As in the index, the hash is there once. */
const envelopeOf = (row: ActionRow, { row: pending, stored }: PendingTrace) => ({
  ...row,
  trace_id: traceIdOf({ row: pending, stored }),
  action_id: bytes(row.action_id),
  tx_hashes: row.tx_hashes.map(bytes),
  external_hash: pending.hash,
  external_hash_norm: pending.hash_norm.equals(pending.hash) ? null : pending.hash_norm,
})

const bytes = (hash: string): Buffer => Buffer.from(hash, 'base64')
