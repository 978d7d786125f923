import type * as z from 'zod'
import type { VestingReply } from './contract-replies.ts'
import type { VestingView } from './contract-rows.ts'
import type { AddressOf } from './contract-text.ts'
import type { Json } from './text.ts'

/** `VestingContract` of API v3. */
export const toVestingReply = (row: VestingView, addressOf: AddressOf): Json =>
  JSON.stringify({
    address: addressOf(row.account_id),
    start_time: Number(row.start_time),
    total_duration: Number(row.total_duration),
    unlock_period: Number(row.unlock_period),
    cliff_duration: Number(row.cliff_duration),
    sender_address: addressOf(row.sender_id),
    owner_address: addressOf(row.owner_id),
    total_amount: row.total_amount,
    whitelist: row.whitelist.map(addressOf),
  } satisfies z.input<typeof VestingReply>)
