import * as z from 'zod'
import { digits, longInt } from './replies.ts'
import type { Json } from './text.ts'

const byAccount = (description: string) =>
  z
    .record(z.string(), longInt)
    .nullable()
    .meta({ description: `By raw address, nanotons: ${description}.` })

/** Changes of TON are JSON numbers of nanotons, those of jettons decimal strings. */
export const BalanceChangesReply = z
  .strictObject({
    changes: byAccount('values received less values sent, without fees'),
    fees: byAccount('fees paid, for transactions and for messages sent'),
    jettons: z
      .record(z.string(), z.record(z.string(), digits))
      .nullable()
      .meta({ description: 'Changes of jetton balances, by owner and jetton master.' }),
  })
  .meta({ id: 'BalanceChangesResponse' })

/** Addresses are raw, amounts decimal; null amounts are left out. */
export interface BalanceChangesView {
  readonly ton: readonly {
    readonly account: string
    readonly change: string | null
    readonly fees: string | null
  }[]
  /** By owner, then by jetton master. */
  readonly jettons: ReadonlyMap<string, ReadonlyMap<string, bigint>>
}

/** `/balanceChanges`; maps without entries are null, as those of TON Center. */
export function toBalanceChangesReply({ ton, jettons }: BalanceChangesView): Json {
  const amounts = (of: 'change' | 'fees'): Json => {
    const known = ton.filter((row) => row[of] !== null)
    return orNull(known.map((row) => `"${row.account}":${row[of]}`))
  }
  const owners = [...jettons].map(([owner, masters]) => {
    const changes = [...masters].map(([master, amount]) => `"${master}":"${amount}"`)
    return `"${owner}":{${changes.join(',')}}`
  })
  return `{"changes":${amounts('change')},"fees":${amounts('fees')},"jettons":${orNull(owners)}}`
}

const orNull = (members: readonly Json[]): Json => (members.length === 0 ? 'null' : `{${members.join(',')}}`)
