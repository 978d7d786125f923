import type { AccountId, Lt, McBlockSeqno } from '@shardwalk/model'
import {
  bytea,
  defineTable,
  enumeration,
  int2,
  int4,
  int8,
  json,
  text,
  textArray,
  timestamptz,
} from './define-table.ts'

/** Types of events of webhooks. Order of `webhook_outbox.type`, which stores the index. */
export const WEBHOOK_TYPES = ['transactions', 'account_state_change', 'actions', 'jettons_change'] as const
/** An element of `WEBHOOK_TYPES`. */
export type WebhookType = (typeof WEBHOOK_TYPES)[number]

/** State of a jetton wallet in an event, stored because the wallet may no longer exist at delivery. */
export interface WalletOfEvent {
  readonly owner_id: string
  readonly jetton_id: string
}

/** Written by `shardwalk webhooks` and by delivery; read by both. */
export const webhooks = defineTable('webhooks', {
  comment: 'Receivers of events, and how delivery to each goes.',
  primaryKey: ['id'],
  columns: {
    id: int4('Number of the webhook.').generated(),
    url: text('Where events are posted.'),
    types: textArray('Types of events.'),
    after_seqno: int4<McBlockSeqno>('Events are those of masterchain blocks after it.'),
    passed_seqno: int4<McBlockSeqno>('A block up to here that is not indexed is not waited for.'),
    created_at: timestamptz('When it was added.').withDefault(),
    next_at: timestamptz('No delivery before; put off while all fail.').withDefault(),
    failures: int4('Deliveries that failed since the last one that succeeded.').withDefault(),
    failing_since: timestamptz('The first of them; null: the last one succeeded.').orNull(),
    fault: text('Why the last one failed.').orNull(),
    succeeded_at: timestamptz('When one succeeded, to within ten seconds; null: never.').orNull(),
    given_up_at: timestamptz('When delivery ended until the operator retries; null: it goes on.').orNull(),
    full_seqno: int4<McBlockSeqno>(
      'Events of later blocks were not kept, because too many waited; null: all are kept.',
    ).orNull(),
  },
})

/** Written by `shardwalk webhooks`; read by delivery only. */
export const webhookSecrets = defineTable('webhook_secrets', {
  comment: 'Keys of the signatures of webhooks. Apart, because those who write events need not know them.',
  primaryKey: ['webhook_id'],
  columns: {
    webhook_id: int4('The webhook.'),
    secret: text('`whsec_` and the key in base64.'),
    former: text('The key before it, which signs too until `former_until`; null: none does.').orNull(),
    former_until: timestamptz('How long it does.').orNull(),
  },
})

/** Written by `shardwalk webhooks`; read when events are written. */
export const webhookAccounts = defineTable('webhook_accounts', {
  comment: 'The accounts whose events a webhook gets.',
  primaryKey: ['account_id', 'webhook_id'],
  indexes: { webhook_accounts_webhook_id: '(webhook_id)' },
  columns: {
    account_id: int8<AccountId>('The account.'),
    webhook_id: int4('The webhook.'),
  },
})

/** Written in the transaction that an event is about; emptied by delivery. */
export const webhookOutbox = defineTable('webhook_outbox', {
  comment: 'Events that webhooks have not accepted yet.',
  notes: `Written in the transaction of the rows that an event is about, deleted once a receiver accepted
it. An event names what happened; its text is made from the tables when it is delivered. Of an account, one
event is under way at a time, the one that comes first in the index \`webhook_outbox_lane\`. Claims look at
events that are due alone; the others of an account are not, until they are the first.`,
  primaryKey: ['id'],
  indexes: {
    webhook_outbox_lane: '(webhook_id, account_id, mc_seqno, type, lt, id) WHERE (given_up_at IS NULL)',
    webhook_outbox_due: '(webhook_id, due_at, mc_seqno) WHERE (due_at IS NOT NULL)',
    webhook_outbox_given_up: '(webhook_id, given_up_at) WHERE (given_up_at IS NOT NULL)',
    webhook_outbox_leased: '(webhook_id, account_id) WHERE (leased_until IS NOT NULL)',
  },
  columns: {
    id: int8('Number of the event.').generated(),
    webhook_id: int4('The webhook.'),
    account_id: int8<AccountId>('The account of the webhook that the event is about.'),
    mc_seqno: int4<McBlockSeqno>('Masterchain block of what happened.'),
    type: int2(`${enumeration(WEBHOOK_TYPES)}.`),
    lt: int8<Lt>('Last lt of what happened; 0: see `mc_seqno`.'),
    trace_id: bytea('Of actions: their trace.').orNull(),
    wallet_id: int8<AccountId>('Of a jetton balance: the wallet.').orNull(),
    wallet: json<WalletOfEvent>('The same: its owner and master.').orNull(),
    sent: int4('Transactions or actions of it that earlier deliveries had.').withDefault(),
    queued_at: timestamptz('When it happened here.').withDefault(),
    due_at: timestamptz(
      'No delivery before; null: it waits behind another event of the account, or was given up.',
    )
      .withDefault()
      .orNull(),
    leased_until: timestamptz('A process delivers it and has until then; null: none does.').orNull(),
    attempts: int4('Deliveries begun.').withDefault(),
    failing_since: timestamptz('When a delivery failed first; null: none did.').orNull(),
    given_up_at: timestamptz('When it was given up until the operator retries; null: it was not.').orNull(),
    fault: text('Why the last delivery failed.').orNull(),
  },
})
