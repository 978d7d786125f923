import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import {
  type AccountStatus,
  type ExtraCurrencies,
  type RawAddress,
  SYSTEM_ADDRESS,
  type TransactionDescription,
} from '@shardwalk/model'
import { storeCurrencyCollection } from '@shardwalk/tlb'
import type { Random } from './random.ts'
import { type AccountModel, accountCell, changeAccount, type Lives, type Sizes } from './random-account.ts'
import { descriptionCell, randomDescription, randomKind } from './random-description.ts'
import {
  externalInMessage,
  externalOutMessage,
  type GeneratedMessage,
  internalMessage,
} from './random-message.ts'

/** A transaction cell and what was put into it. */
export interface GeneratedTransaction {
  readonly cell: Cell
  readonly account: RawAddress
  readonly lt: bigint
  readonly now: number
  readonly prevTransHash: Buffer
  readonly prevTransLt: bigint
  readonly origStatus: AccountStatus
  readonly endStatus: AccountStatus
  readonly totalFees: bigint
  readonly totalFeesExtraCurrencies?: ExtraCurrencies
  readonly stateHashBefore: Buffer
  readonly stateHashAfter: Buffer
  readonly description: TransactionDescription
  readonly inMsg?: GeneratedMessage
  readonly outMsgs: readonly GeneratedMessage[]
}

/** What has been sent and not received yet. */
export class Mail {
  private readonly waiting = new Map<string, GeneratedMessage[]>()
  private readonly external = new Map<string, GeneratedMessage>()

  send(messages: readonly GeneratedMessage[]): void {
    for (const message of messages) {
      const key = message.kind === 'internal' && message.destination && keyOf(message.destination)
      if (key) this.waiting.set(key, [...(this.waiting.get(key) ?? []), message])
    }
  }

  /** The oldest internal message to an account. */
  receive(account: RawAddress): GeneratedMessage | undefined {
    return this.waiting.get(keyOf(account))?.shift()
  }

  /** A contract may accept the same external message again. */
  again(account: RawAddress): GeneratedMessage | undefined {
    return this.external.get(keyOf(account))
  }

  keep(account: RawAddress, message: GeneratedMessage): GeneratedMessage {
    this.external.set(keyOf(account), message)
    return message
  }
}

const keyOf = ({ workchain, hash }: RawAddress): string => `${workchain}:${hash.toString('hex')}`

export interface TransactionContext {
  readonly lt: bigint
  readonly now: number
  readonly sizes: Sizes
  readonly lives?: Lives | undefined
  /** Where messages go to. */
  readonly others: readonly RawAddress[]
  readonly mail: Mail
  /** The block begins at it, and the masterchain itself sends what the account receives. */
  readonly systemLt?: bigint
  /** Amounts that the account holds afterwards are set by this; default: by chance. */
  readonly balance?: bigint
}

/** Status as in block.tlb `AccountStatus`. */
const STATUS_TAGS: readonly AccountStatus[] = ['uninit', 'frozen', 'active', 'nonexist']

/** Makes a transaction of the account, and changes the account by it. */
export function randomTransaction(
  random: Random,
  account: AccountModel,
  context: TransactionContext,
): GeneratedTransaction {
  const { lt, now } = context
  const { address } = account
  const before = { hash: accountCell(account).hash(), status: account.status }
  const inMsg = randomInMessage(random, address, context)
  const outMsgs = randomOutMessages(random, address, context)
  context.mail.send(outMsgs)
  const prev = { prevTransHash: account.lastTransHash, prevTransLt: account.lastTransLt }
  changeAccount(random, account, context)
  if (context.balance !== undefined && account.status !== 'nonexist') account.balance = context.balance
  account.storageLt = lt + 1n + BigInt(outMsgs.length)
  const extra = random.currencies(0.05)
  const parts = {
    ...{
      account: address,
      lt,
      now,
      ...prev,
      origStatus: before.status,
      endStatus: endStatus(random, account),
    },
    totalFees: random.coins(),
    ...(extra && { totalFeesExtraCurrencies: extra }),
    ...{ stateHashBefore: before.hash, stateHashAfter: accountCell(account).hash() },
    description: randomDescription(random, randomKind(random)),
    ...(inMsg && { inMsg }),
    outMsgs,
  }
  // What an installing transaction refers to may be any transaction.
  const prepare = transactionCell({ ...parts, description: { kind: 'storage', storagePhase: NOTHING } })
  const cell = transactionCell(parts, prepare)
  // What is left of a deleted account remembers nothing.
  const isGone = account.status === 'nonexist'
  account.lastTransHash = isGone ? Buffer.alloc(32) : cell.hash()
  account.lastTransLt = isGone ? 0n : lt
  return { cell, ...parts }
}

/** Before global version 13 also `frozen` if the hash of what is frozen is the address, and not stored. */
const endStatus = (random: Random, { status }: AccountModel): AccountStatus =>
  status === 'uninit' && random.rarely() ? 'frozen' : status

const NOTHING = { storageFeesCollected: 0n, statusChange: 'unchanged' } as const

function randomInMessage(
  random: Random,
  destination: RawAddress,
  { lt, now, others, mail, systemLt }: TransactionContext,
): GeneratedMessage | undefined {
  if (systemLt !== undefined)
    return {
      ...internalMessage(random, { source: SYSTEM_ADDRESS, destination, lt: systemLt, now }),
      isSystem: true,
    }
  if (random.chance(0.1)) return undefined
  if (random.chance(0.2))
    return (
      random.maybe(0.1, () => mail.again(destination)) ??
      mail.keep(destination, externalInMessage(random, destination))
    )
  const sent = random.maybe(0.6, () => mail.receive(destination))
  if (sent) return sent
  return internalMessage(random, { source: random.pick(others), destination, lt: lt - 500n, now })
}

function randomOutMessages(
  random: Random,
  source: RawAddress,
  { lt, now, others }: TransactionContext,
): GeneratedMessage[] {
  const count = random.pick([0, 0, 1, 1, 2, 3, random.chance(0.02) ? 255 : 4])
  return Array.from({ length: count }, (_, i) => {
    const at = { source, lt: lt + 1n + BigInt(i), now }
    return random.chance(0.2)
      ? externalOutMessage(random, at)
      : internalMessage(random, { ...at, destination: random.pick(others) })
  })
}

/** block.tlb `transaction$0111`. */
function transactionCell(tx: Omit<GeneratedTransaction, 'cell'>, prepare?: Cell): Cell {
  const messages = new Builder().storeMaybeRef(tx.inMsg?.cell).storeMaybeRef(
    buildDict(
      tx.outMsgs.map(({ cell }, i) => [i, new Builder().storeRef(cell)] as const),
      15,
    ),
  )
  const builder = new Builder().storeUint(0b0111, 4).storeBytes(tx.account.hash).storeUint(tx.lt, 64)
  builder.storeBytes(tx.prevTransHash).storeUint(tx.prevTransLt, 64).storeUint(tx.now, 32)
  builder.storeUint(tx.outMsgs.length, 15)
  for (const status of [tx.origStatus, tx.endStatus]) builder.storeUint(STATUS_TAGS.indexOf(status), 2)
  builder.storeRef(messages.endCell())
  storeCurrencyCollection(builder, {
    grams: tx.totalFees,
    ...(tx.totalFeesExtraCurrencies && { extra: tx.totalFeesExtraCurrencies }),
  })
  return builder
    .storeRef(hashUpdate(tx.stateHashBefore, tx.stateHashAfter))
    .storeRef(descriptionCell(tx.description, prepare ?? messages.endCell()))
    .endCell()
}

/** block.tlb `update_hashes#72 old_hash:bits256 new_hash:bits256`. */
export const hashUpdate = (before: Buffer, after: Buffer): Cell =>
  new Builder().storeUint(0x72, 8).storeBytes(before).storeBytes(after).endCell()
