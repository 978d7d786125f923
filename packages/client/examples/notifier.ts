import type { StreamClient, StreamEvent } from '@shardwalk/client'

type Action = Extract<StreamEvent, { type: 'actions' }>['actions'][number]

export interface Notice {
  readonly actionId: string
  readonly text: string
  /** Masterchain block after which to continue once this notice was delivered. */
  readonly position: number
}

/** Progress that a notifier stores together with the notices that it has delivered. */
export interface Delivered {
  /** At first the newest masterchain block: `last` of `masterchainInfo`. */
  readonly position: number
  /** Ids of actions after `position` that were delivered. */
  readonly actionIds: ReadonlySet<string>
}

/**
 * Notices of the actions of accounts, each once. A program that stores `position` and `actionId` with each
 * notice misses none and repeats none, however often it restarts or the connection breaks.
 */
export async function* notices(
  client: StreamClient,
  accounts: readonly string[],
  { delivered, signal }: { readonly delivered: Delivered; readonly signal?: AbortSignal },
): AsyncGenerator<Notice> {
  const seen = new Set(delivered.actionIds)
  let { position } = delivered
  const wanted = { types: ['actions'] as const, addresses: accounts, resumeFrom: position }
  for await (const event of client.events(wanted, signal ? { signal } : {})) {
    if (event.type !== 'actions') continue
    // Without one, something that happened before is still to come.
    position = event.resume_from ?? position
    for (const action of event.actions) {
      if (seen.has(action.action_id)) continue
      seen.add(action.action_id)
      yield { actionId: action.action_id, text: textOf(action), position }
    }
  }
}

function textOf({ type, details, success }: Action): string {
  const { source, sender, destination, receiver, value, amount } = details as Readonly<
    Record<string, string | null | undefined>
  >
  const sum = amount ?? value
  const parts = [
    type.replaceAll('_', ' '),
    ...(sum ? [`of ${sum}`] : []),
    ...((source ?? sender) ? [`from ${source ?? sender}`] : []),
    ...((destination ?? receiver) ? [`to ${destination ?? receiver}`] : []),
  ]
  return `${parts.join(' ')}${success ? '' : ', failed'}`
}
