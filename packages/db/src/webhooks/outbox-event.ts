import type { AccountId, Lt, McBlockSeqno, RawAddress } from '@shardwalk/model'
import type { WalletOfEvent, WebhookType } from '@shardwalk/tables'
import { type RawBuilder, sql } from 'kysely'

/** An event that this process delivers now. */
export interface OutboxEvent {
  readonly id: bigint
  readonly webhookId: number
  readonly type: WebhookType
  readonly accountId: AccountId
  readonly account: RawAddress
  readonly mcBlockSeqno: McBlockSeqno
  readonly lt: Lt
  readonly traceId: Buffer | undefined
  readonly walletId: AccountId | undefined
  readonly wallet: WalletOfEvent | undefined
  /** Number of its transactions or actions that earlier parts had. */
  readonly sent: number
  /** Number of attempts, including this one. */
  readonly attempts: number
}

/** The event of an account that is delivered next. Index: webhook_outbox_lane. */
export const firstOf = (webhookId: number, accountId: RawBuilder<unknown>) => sql`
  select id, account_id, type, lt, due_at from webhook_outbox
  where webhook_id = ${webhookId} and account_id = ${accountId} and given_up_at is null
  order by mc_seqno, type, lt, id limit 1`
