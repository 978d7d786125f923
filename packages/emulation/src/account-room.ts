import type { DecodedMessage } from '@shardwalk/model'
import { EmulationError } from './errors.ts'
import type { AccountView } from './types.ts'

/** block.tlb `Grams`, a VarUInteger 16. */
const MAX_GRAMS = (1n << 120n) - 1n
/** block.tlb `ExtraCurrencyCollection`, of VarUInteger 32. */
const MAX_AMOUNT = (1n << 248n) - 1n
/** The executor reads 1,024 cells of their dictionary, which has two for each but one. With more it ends. */
const MAX_CURRENCIES = 512

type Holder = Pick<AccountView, 'balance' | 'extraCurrencies'>

/**
 * Whether the account can hold what it has and what the message brings: the executor's thread ends where it
 * cannot. Throws `EmulationError`.
 */
export function checkRoom(
  { balance, extraCurrencies }: Holder,
  { value = 0n, valueExtraCurrencies }: Pick<DecodedMessage, 'value' | 'valueExtraCurrencies'>,
): void {
  if (balance + value > MAX_GRAMS) throw noRoom('value.grams', `${balance} and ${value} nanotons`)
  const sums = new Map(extraCurrencies)
  for (const [id, amount] of valueExtraCurrencies ?? []) {
    const sum = (sums.get(id) ?? 0n) + amount
    if (sum > MAX_AMOUNT) throw noRoom('value.other', `${sum} of the extra currency ${id}`)
    sums.set(id, sum)
  }
  if (sums.size > MAX_CURRENCIES)
    throw noRoom('value.other', `${sums.size} extra currencies, at most ${MAX_CURRENCIES}`)
}

const noRoom = (field: string, amounts: string): EmulationError =>
  new EmulationError('no_room', `failed to emulate shard block: ${field}: the account would have ${amounts}`)
