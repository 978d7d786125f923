import {
  type ActionRow as ClassifiedAction,
  expandSupportedTypes,
  isShown,
  knowsGasless,
  renderAction,
} from '@shardwalk/actions'
import { type Json, toActionReply, toJsonText } from '@shardwalk/api-schema'
import { actionNames } from '../actions/action-reply.ts'
import type { RenderContext } from '../render-context.ts'

/** On what the texts depend beside the actions. */
export interface ActionTextOptions {
  readonly context: Pick<RenderContext, 'testOnly' | 'marketplaces'>
  /** `X-Actions-Version`. */
  readonly version: string | undefined
  /** Normalized hash of the message that the trace begins with, if it has one. */
  readonly externalHashNorm: Buffer | undefined
}

/** Actions of a trace that has not happened, those that the client understands: the latest first. */
export function actionTexts(
  actions: readonly ClassifiedAction[],
  { version, context, externalHashNorm }: ActionTextOptions,
): Json[] {
  const supported = expandSupportedTypes(undefined, version)
  const names = actionNames(context)
  const shown = actions.filter((action) => isShown(action, supported)).sort(latestFirst)
  return shown.map((action) => {
    const { type, details } = renderAction(action, names)
    return toActionReply({
      row: {
        ...action,
        trace_id: null,
        action_id: bytes(action.action_id),
        tx_hashes: action.tx_hashes.map(bytes),
        external_hash: action.trace_external_hash === null ? null : bytes(action.trace_external_hash),
        external_hash_norm: externalHashNorm ?? null,
      },
      type,
      details: toJsonText(details),
      ...(knowsGasless(supported) && { parentGaslessAction: action.parent_gasless_action }),
      accounts: action.accounts,
    })
  })
}

const bytes = (hash: string): Buffer => Buffer.from(hash, 'base64')

type Lts = Pick<ClassifiedAction, 'start_lt' | 'end_lt'>

/** For actions that are not in the index. */
export function latestFirst(a: Lts, b: Lts): number {
  if (a.end_lt !== b.end_lt) return a.end_lt < b.end_lt ? 1 : -1
  return a.start_lt === b.start_lt ? 0 : a.start_lt < b.start_lt ? 1 : -1
}
