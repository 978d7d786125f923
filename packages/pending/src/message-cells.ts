import { EMPTY_CELL, parseRoot } from '@shardwalk/cells'
import { MESSAGE_FLAGS } from '@shardwalk/db'
import { type RootMessage, readRootMessage } from '@shardwalk/emulation'
import { withCode } from '@shardwalk/queries'
import { rebuildMessage } from '@shardwalk/tlb'
import type { IndexedPart, SentMessageRow } from './indexed-part.ts'

/** A message that a transaction sent, as a cell; undefined: its layout is unusual. */
export function rootOfSent(
  { message }: SentMessageRow,
  { directory }: Pick<IndexedPart, 'directory'>,
): RootMessage | undefined {
  const row = withCode(message, message.code)
  if (row.destination_id === null || row.init_code_hash !== null) return undefined
  const cell = rebuildMessage(
    {
      ihrDisabled: (row.flags & MESSAGE_FLAGS.ihrDisabled) !== 0,
      bounce: (row.flags & MESSAGE_FLAGS.bounce) !== 0,
      bounced: (row.flags & MESSAGE_FLAGS.bounced) !== 0,
      source: directory.get(row.account_id).address,
      destination: directory.get(row.destination_id).address,
      value: row.value ?? 0n,
      extraCurrencies: row.value_extra ? currencies(row.value_extra) : undefined,
      ihrFeeOrExtraFlags: row.extra_flags === null ? (row.ihr_fee ?? 0n) : BigInt(row.extra_flags),
      fwdFee: row.fwd_fee ?? 0n,
      createdLt: row.lt,
      createdAt: row.created_at ?? 0,
      initState: row.init_state ? parseRoot(row.init_state) : undefined,
      body: row.body ? parseRoot(row.body) : EMPTY_CELL,
    },
    row.hash,
  )
  return cell && readRootMessage(cell)
}

const currencies = (amounts: Readonly<Record<string, string>>): ReadonlyMap<number, bigint> =>
  new Map(Object.entries(amounts).map(([id, amount]) => [Number(id), BigInt(amount)]))
