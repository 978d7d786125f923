import { MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import type { ChainOptions, GeneratedBlock } from './chain-options.ts'
import { statesOf } from './generated-state.ts'
import type { SystemMessage } from './mc-extra.ts'
import type { Random } from './random.ts'
import type { AccountModel, Sizes } from './random-account.ts'
import { type GeneratedTransaction, type Mail, randomTransaction } from './random-transaction.ts'

/** What the blocks of a chain share. */
export interface Transacting extends Pick<ChainOptions, 'transactions' | 'balanceAt' | 'lives'> {
  readonly random: Random
  readonly sizes: Sizes
  readonly addresses: readonly RawAddress[]
  readonly mail: Mail
}

interface BlockTime {
  readonly mcSeqno: number
  readonly lt: bigint
  readonly now: number
}

/** Random transactions of a block; `own`: the accounts that it has. */
export function transact(
  chain: Transacting,
  own: readonly AccountModel[],
  block: BlockTime,
): Omit<GeneratedBlock, 'raw' | 'waiting'> & { readonly system: readonly SystemMessage[] } {
  const { random, sizes, lives, addresses: others, mail, transactions: most = 8 } = chain
  const { lt: startLt, now } = block
  const made: GeneratedTransaction[] = []
  const touched = new Set<AccountModel>()
  // Those that the money which is recovered and minted comes to, at the beginning of the block.
  const bySystem = new Set<AccountModel>()
  for (let left = own.length > 0 ? random.between(0, most) : 0; left > 0; left--) {
    const account = random.pick(own)
    touched.add(account)
    const mayBeSystem = isOfMasterchain(account) && made.length === bySystem.size && bySystem.size < 2
    const isSystem = mayBeSystem && !bySystem.has(account) && random.chance(0.3)
    if (isSystem) bySystem.add(account)
    const lt = startLt + BigInt(isSystem ? bySystem.size : (made.length + 1) * 1_000)
    const balance = balanceOf(account, chain, { block, touched })
    made.push(
      randomTransaction(random, account, {
        ...{ lt, now, sizes, lives, others, mail },
        ...(isSystem && { systemLt: startLt }),
        ...(balance !== undefined && { balance }),
      }),
    )
  }
  return {
    system: made.slice(0, bySystem.size).map(({ cell, inMsg }) => ({ message: inMsg!, transaction: cell })),
    transactions: made.sort(
      (a, b) => Buffer.compare(a.account.hash, b.account.hash) || (a.lt < b.lt ? -1 : 1),
    ),
    states: statesOf(touched),
  }
}

/** The balance that `balanceAt` gives an account after its transaction, if any. */
function balanceOf(
  account: AccountModel,
  { balanceAt }: Transacting,
  { block, touched }: { readonly block: BlockTime; readonly touched: ReadonlySet<AccountModel> },
): bigint | undefined {
  if (balanceAt?.seqno !== block.mcSeqno) return undefined
  const isFirst = touched.keys().next().value === account
  return !balanceAt.alone || (isOfMasterchain(account) && isFirst) ? balanceAt.balance : undefined
}

const isOfMasterchain = ({ address }: AccountModel): boolean => address.workchain === MASTERCHAIN
