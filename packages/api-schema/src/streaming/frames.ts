import * as z from 'zod'

const texts = (description: string) => z.array(z.string()).optional().meta({ description })
/** Types of actions, and names of sets of them. */
export const actionNames = (description: string) =>
  z.array(z.string().max(64)).max(1_000).optional().meta({ description })
/** An optional boolean. */
export const flag = (description: string) => z.boolean().optional().meta({ description })

/** Chosen by the client, to match answers with requests. */
export const id = z.string().max(128).optional().meta({ description: 'Repeated in the answer.' })

/** What a refused `resume_from` is not among. */
export const indexedBlocks = z.strictObject({ from: z.int(), to: z.int() }).meta({
  id: 'IndexedBlocks',
  description:
    'Only if `resume_from` was refused: the masterchain blocks that are indexed. Before `from`: events ' +
    'are lost here. Beyond `to`: none are; subscribe without it.',
})

const subscription = {
  types: z
    .array(
      z.enum([
        'transactions',
        'actions',
        'trace',
        'account_state_change',
        'jettons_change',
        'trace_invalidated',
      ]),
    )
    .min(1)
    .meta({ description: 'Types of events. `trace_invalidated` is always implied.' }),
  addresses: texts('Accounts, in any form; for all types but `trace`.'),
  trace_external_hash_norms: texts(
    'Hashes of external messages, normalised or as sent, hex or base64; for `trace`.',
  ),
  min_finality: z
    .enum(['pending', 'confirmed', 'finalized'])
    .optional()
    .meta({ description: 'Lowest finality that is sent. Default `finalized`.' }),
  include_address_book: flag('Whether events have an address book. Default false.'),
  include_metadata: flag('Whether events have metadata of tokens. Default false.'),
  action_types: actionNames('Types of actions. Default: all.'),
  supported_action_types: actionNames(
    'Versions and types of actions that the client knows. Default `latest`.',
  ),
  msg_body_hash: z.string().optional().meta({
    description:
      'Of `transactions`: only those whose incoming message has a body of this hash, hex or base64.',
  }),
  resume_from: z
    .int()
    .optional()
    .meta({
      description:
        'What came after this masterchain block is sent first. Refused if the block is no longer indexed, ' +
        'or more than 1,000 blocks beyond the newest.',
    }),
  replay_existing: flag(
    'Without `resume_from`: whether events of the last 30 seconds, and what is pending, are sent first. ' +
      'Default false.',
  ),
  id,
}

/** Body of `POST /api/streaming/v2/sse`. Unknown members are ignored. */
export const SubscriptionBody = z.object(subscription).meta({ id: 'Subscription' })

/** What a client sends on a WebSocket. Unknown members are ignored. */
export const REQUEST_FRAMES = {
  subscribe: z
    .object({ operation: z.literal('subscribe'), ...subscription })
    .meta({ id: 'SubscribeFrame', description: 'Replaces everything asked for before.' }),
  unsubscribe: z
    .object({
      operation: z.literal('unsubscribe'),
      addresses: texts('Accounts that are no longer of interest.'),
      trace_external_hash_norms: texts('Traces that are no longer of interest.'),
      id,
    })
    .meta({ id: 'UnsubscribeFrame', description: 'Removes accounts and traces; types and options stay.' }),
  ping: z
    .object({ operation: z.literal('ping'), id })
    .meta({ id: 'PingFrame', description: 'Answered `pong`.' }),
}

/** What the server answers to it. */
export const ANSWER_FRAMES = {
  status: z
    .strictObject({
      status: z.enum(['subscribed', 'unsubscribed', 'pong']),
      id,
      resume_from: z
        .int()
        .optional()
        .meta({
          description:
            'WebSocket: everything up to this masterchain block was sent. Left out while the client ' +
            'gets what it missed. Server-sent events have it as `id`.',
        }),
    })
    .meta({ id: 'StatusFrame', description: 'A frame was accepted; first frame of server-sent events.' }),
  error: z
    .strictObject({ error: z.string(), id, indexed: indexedBlocks.optional() })
    .meta({ id: 'ErrorFrame', description: 'A frame was refused and changed nothing.' }),
}
