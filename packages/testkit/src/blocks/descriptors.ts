import { Builder, buildDictWithExtra, type Cell, type Slice } from '@shardwalk/cells'
import { loadCurrencyCollection, storeCurrencyCollection } from '@shardwalk/tlb'
import type { Random } from './random.ts'
import type { GeneratedMessage } from './random-message.ts'
import type { GeneratedTransaction } from './random-transaction.ts'
import { augmented, moneyOf, NO_MONEY, sum } from './state-cells.ts'

/** What the descriptors of a block are made from. */
export interface Described {
  readonly random: Random
  readonly transactions: readonly GeneratedTransaction[]
  /** Internal messages that pass through, to be delivered elsewhere. */
  readonly transits: readonly GeneratedMessage[]
  /** With message metadata and deferred messages. */
  readonly isNew: boolean
}

type Entries = Map<string, readonly [Buffer, Builder]>

const add = (entries: Entries, { cell }: GeneratedMessage, descr: Builder): void => {
  entries.set(cell.hash().toString('hex'), [cell.hash(), descr])
}

/** block.tlb `InMsgDescr`, of all kinds; the extra is `ImportFees`. */
export function inMsgDescr(described: Described): Cell {
  const entries: Entries = new Map()
  for (const { inMsg, cell } of described.transactions)
    if (inMsg) add(entries, inMsg, deliveredMessage(described, inMsg, cell))
  for (const message of described.transits) add(entries, message, passingInMsg(described, message))
  const none = () => storeCurrencyCollection(new Builder().storeCoins(0n), NO_MONEY)
  const fork = (left: Slice, right: Slice) => {
    const fees = left.loadCoins() + right.loadCoins()
    const money = sum(loadCurrencyCollection(left), loadCurrencyCollection(right))
    return storeCurrencyCollection(new Builder().storeCoins(fees), money)
  }
  return augmented(buildDictWithExtra(entries.values(), 256, { leaf: none, fork }), none())
}

/**
 * block.tlb `msg_import_ext$000`, `msg_import_ihr$010`, `msg_import_imm$011`, `msg_import_fin$100`,
 * `msg_import_deferred_fin$00100`.
 */
export function deliveredMessage(
  { random, isNew }: Pick<Described, 'random' | 'isNew'>,
  message: GeneratedMessage,
  transaction: Cell,
): Builder {
  if (message.kind !== 'internal')
    return new Builder().storeUint(0b000, 3).storeRef(message.cell).storeRef(transaction)
  const kind = random.pick(['imm', 'imm', 'fin', 'fin', 'ihr', 'deferred'] as const)
  if (kind === 'ihr') {
    const builder = new Builder().storeUint(0b010, 3).storeRef(message.cell).storeRef(transaction)
    return builder.storeCoins(7n).storeRef(message.cell)
  }
  const builder = new Builder()
  if (kind === 'deferred' && isNew) builder.storeUint(0b00100, 5)
  else builder.storeUint(kind === 'imm' ? 0b011 : 0b100, 3)
  return builder
    .storeRef(envelope(random, message, isNew))
    .storeRef(transaction)
    .storeCoins(7n)
}

/**
 * block.tlb `msg_import_tr$101`, `msg_discard_fin$110`, `msg_discard_tr$111`,
 * `msg_import_deferred_tr$00101`.
 */
function passingInMsg({ random, isNew }: Described, message: GeneratedMessage): Builder {
  const enveloped = () => envelope(random, message, isNew)
  const kind = random.pick(['tr', 'discard_fin', 'discard_tr', 'deferred_tr'] as const)
  switch (kind) {
    case 'discard_fin':
      return new Builder().storeUint(0b110, 3).storeRef(enveloped()).storeUint(5, 64).storeCoins(1n)
    case 'discard_tr': {
      const builder = new Builder().storeUint(0b111, 3).storeRef(enveloped()).storeUint(5, 64)
      return builder.storeCoins(1n).storeRef(message.cell)
    }
    case 'deferred_tr':
      if (isNew) return new Builder().storeUint(0b00101, 5).storeRef(enveloped()).storeRef(enveloped())
      break
    default:
  }
  return new Builder().storeUint(0b101, 3).storeRef(enveloped()).storeRef(enveloped()).storeCoins(1n)
}

/** block.tlb `OutMsgDescr`, of all kinds. */
export function outMsgDescr(described: Described): Cell {
  const entries: Entries = new Map()
  for (const { outMsgs, cell } of described.transactions)
    for (const message of outMsgs) add(entries, message, sentMessage(described, message, cell))
  for (const message of described.transits) add(entries, message, passingOutMsg(described, message))
  return augmented(
    buildDictWithExtra(
      entries.values(),
      256,
      moneyOf(() => NO_MONEY),
    ),
  )
}

/**
 * block.tlb `msg_export_ext$000`, `msg_export_imm$010`, `msg_export_new$001`,
 * `msg_export_new_defer$10100`.
 */
function sentMessage({ random, isNew }: Described, message: GeneratedMessage, transaction: Cell): Builder {
  if (message.kind !== 'internal')
    return new Builder().storeUint(0b000, 3).storeRef(message.cell).storeRef(transaction)
  const enveloped = envelope(random, message, isNew)
  const kind = random.pick(['new', 'new', 'imm', 'new_defer'] as const)
  if (kind === 'imm')
    return new Builder().storeUint(0b010, 3).storeRef(enveloped).storeRef(transaction).storeRef(message.cell)
  const builder = new Builder()
  if (kind === 'new_defer' && isNew) builder.storeUint(0b10100, 5)
  else builder.storeUint(0b001, 3)
  return builder.storeRef(enveloped).storeRef(transaction)
}

/** The kinds of three bits whose content is the envelope and the `InMsg` that brought it. */
const PASSED = { tr: 0b011, deq_imm: 0b100, tr_req: 0b111 } as const

/** block.tlb `msg_export_tr$011` and the others for messages of earlier blocks. */
function passingOutMsg({ random, isNew }: Described, message: GeneratedMessage): Builder {
  const enveloped = envelope(random, message, isNew)
  const kind = random.pick(['tr', 'deq_imm', 'tr_req', 'deq', 'deq_short', 'deferred_tr'] as const)
  if (kind === 'deq') return new Builder().storeUint(0b1100, 4).storeRef(enveloped).storeUint(9, 63)
  if (kind === 'deq_short') {
    const builder = new Builder().storeUint(0b1101, 4).storeBytes(enveloped.hash())
    return builder
      .storeInt(-1, 32)
      .storeUint(1n << 63n, 64)
      .storeUint(9, 64)
  }
  const builder = new Builder()
  if (kind === 'deferred_tr' && isNew) builder.storeUint(0b10101, 5)
  else builder.storeUint(PASSED[kind === 'deferred_tr' ? 'tr' : kind], 3)
  return builder.storeRef(enveloped).storeRef(message.cell)
}

/** block.tlb `msg_envelope#4`, `msg_envelope_v2#5`. */
export function envelope(random: Random, message: GeneratedMessage, isNew: boolean): Cell {
  const builder = new Builder().storeUint(isNew ? 5 : 4, 4)
  storeIntermediate(random, builder)
  storeIntermediate(random, builder)
  builder.storeCoins(1n).storeRef(message.cell)
  if (!isNew) return builder.endCell()
  const emittedLt = random.maybe(0.3, () => random.big(60))
  builder.storeBit(emittedLt !== undefined)
  if (emittedLt !== undefined) builder.storeUint(emittedLt, 64)
  const initiator = random.maybe(0.5, () => message.source)
  builder.storeBit(initiator !== undefined)
  // block.tlb `msg_metadata#0`.
  if (initiator) builder.storeUint(0, 4).storeUint(3, 32).storeAddress(initiator).storeUint(8, 64)
  return builder.endCell()
}

/** block.tlb `interm_addr_regular$0`, `interm_addr_simple$10`, `interm_addr_ext$11`. */
function storeIntermediate(random: Random, builder: Builder): void {
  const kind = random.pick(['regular', 'regular', 'simple', 'ext'] as const)
  if (kind === 'regular') builder.storeUint(random.below(97), 8)
  else if (kind === 'simple') builder.storeUint(0b10, 2).storeInt(-1, 8).storeUint(random.big(64), 64)
  else builder.storeUint(0b11, 2).storeInt(random.int32(), 32).storeUint(random.big(64), 64)
}
