import type { ToSupervisor } from '@shardwalk/observability'

/** Messages from child processes to the supervisor. Anything else on the channel is ignored. */
export type ChildMessage =
  /** A recorded chain is served; `config` is a global config with that server. */
  { readonly type: 'serving'; readonly config: string } | ToSupervisor

/** Undefined for what is no message of ours. */
export function toChildMessage(message: unknown): ChildMessage | undefined {
  const { type, config, line, message: text } = (message ?? {}) as Record<string, unknown>
  if (type === 'serving' && typeof config === 'string') return { type, config }
  if (type === 'progress' && typeof line === 'string') return { type, line }
  if (type === 'fatal' && typeof text === 'string') return { type, message: text }
  return undefined
}
