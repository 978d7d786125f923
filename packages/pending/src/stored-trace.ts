import type { ActionRow } from '@shardwalk/actions'
import type { AccountView, EmulatedTrace, EmulatedTransaction } from '@shardwalk/emulation'
import { type AccountStatus, extraCurrencyTexts, type ShortBlockId } from '@shardwalk/model'
import { type ConfirmedTransaction, messageName } from './confirmed/confirmed-transaction.ts'

/** A snapshot of a trace: transactions that have happened, by hash, and those that are expected. */
export interface StoredTrace {
  /** The masterchain block whose state was used. */
  readonly mcBlockSeqno: number
  readonly globalVersion: number
  /** Hashes of the indexed transactions, base64. */
  readonly happened: readonly string[]
  /** Those that are not indexed: expected or confirmed. Senders before receivers. */
  readonly expected: readonly StoredNode[]
  readonly actions: readonly ActionRow[]
  readonly isClassified: boolean
  readonly isIncomplete: boolean
  /** Emulation ended early for lack of time or of a state: another attempt may find more. */
  readonly isCutShort: boolean
}

/** A transaction that is expected, or has happened in a block that the masterchain has not committed. */
export interface StoredNode {
  /** Bag of cells, base64. */
  readonly boc: string
  readonly workchain: number
  /** Index of the expected transaction that would send its inbound message. */
  readonly parent?: number | undefined
  /** Hash of the indexed transaction that sent it, base64. */
  readonly sender?: string | undefined
  readonly block: ShortBlockId
  readonly mcBlockSeqno: number
  readonly before: StoredState
  readonly after: StoredState
  /** Undefined: it was emulated. */
  readonly confirmed?: ConfirmedPlace | undefined
}

/** Where a confirmed transaction happened; hashes in base64. */
export interface ConfirmedPlace {
  /** Of the transaction. */
  readonly hash: string
  /** Of the block. */
  readonly rootHash: string
  /** `rand_seed` of the block. */
  readonly seed: string
}

/** An account before or after a transaction; hashes in base64. */
export interface StoredState {
  readonly status: AccountStatus
  readonly balance: bigint
  readonly codeHash?: string | undefined
  readonly dataHash?: string | undefined
  readonly frozenHash?: string | undefined
  /** By currency id, both decimal. */
  readonly extraCurrencies?: Readonly<Record<string, string>> | undefined
}

/** Longer traces are cut; a trace of 256 usual transactions has a quarter of it. */
const MAX_CHARACTERS = 1024 * 1024

interface NodesOptions {
  /** Hash of the transaction that sent a message which begins the trace. */
  readonly senderOf?: (messageHash: string) => string | undefined
  /** Those of the transactions that have happened, by the message that they received. */
  readonly confirmed?: ReadonlyMap<string, ConfirmedTransaction>
}

/** The nodes of an emulated trace. */
export function toStoredNodes(
  { transactions }: EmulatedTrace,
  options: NodesOptions = {},
): { readonly nodes: readonly StoredNode[]; readonly isCut: boolean } {
  const nodes: StoredNode[] = []
  let characters = 0
  for (const transaction of transactions) {
    const node = toNode(transaction, options)
    characters += node.boc.length
    // The rest comes after its senders, so what was taken is a trace.
    if (characters > MAX_CHARACTERS) return { nodes, isCut: true }
    nodes.push(node)
  }
  return { nodes, isCut: false }
}

function toNode(
  { transaction, boc, parent, block, mcBlockSeqno, before, after, known }: EmulatedTransaction,
  { senderOf, confirmed }: NodesOptions,
): StoredNode {
  const { inMsg, account } = transaction
  const own = known && inMsg && confirmed?.get(messageName(inMsg))
  const isLeft = after.hash.equals(transaction.stateHashAfter)
  return {
    boc: Buffer.from(boc).toString('base64'),
    workchain: account.workchain,
    parent,
    sender: parent === undefined && inMsg ? senderOf?.(inMsg.hash.toString('base64')) : undefined,
    block: { workchain: block.workchain, shard: block.shard, seqno: block.seqno },
    mcBlockSeqno,
    before: toState(before),
    after: (isLeft ? undefined : own?.after) ?? toState(after),
    ...(own && { confirmed: placeOf(own) }),
  }
}

const placeOf = ({ transaction, block, seed }: ConfirmedTransaction): ConfirmedPlace => ({
  hash: transaction.hash.toString('base64'),
  rootHash: block.rootHash.toString('base64'),
  seed: seed.toString('base64'),
})

const toState = ({ status, balance, code, data, frozenHash, extraCurrencies }: AccountView): StoredState => ({
  status,
  balance,
  codeHash: code?.hash().toString('base64'),
  dataHash: data?.hash().toString('base64'),
  frozenHash: frozenHash?.toString('base64'),
  extraCurrencies: extraCurrencies && extraCurrencyTexts(extraCurrencies),
})

/** JSON with bigints as `{"$bigint": "1"}`. */
export const encodeTrace = (trace: StoredTrace): string =>
  JSON.stringify(trace, (_, value: unknown) =>
    typeof value === 'bigint' ? { $bigint: String(value) } : value,
  )

/** The inverse of `encodeTrace`. */
export const decodeTrace = (text: string): StoredTrace =>
  JSON.parse(text, (_, value: unknown) => {
    const tagged = (value as { readonly $bigint?: unknown } | null)?.$bigint
    return typeof tagged === 'string' ? BigInt(tagged) : value
  }) as StoredTrace
