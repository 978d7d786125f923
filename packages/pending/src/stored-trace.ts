import type { ActionRow } from '@shardwalk/actions'
import type { AccountView, EmulatedTrace, EmulatedTransaction } from '@shardwalk/emulation'
import type { AccountStatus, ExtraCurrencies, ShortBlockId } from '@shardwalk/model'

/** A snapshot of a trace: transactions that have happened, by hash, and those that are expected. */
export interface StoredTrace {
  /** The masterchain block whose state was used. */
  readonly mcBlockSeqno: number
  readonly globalVersion: number
  /** Hashes of the indexed transactions, base64. */
  readonly happened: readonly string[]
  /** Senders before receivers. */
  readonly expected: readonly StoredNode[]
  readonly actions: readonly ActionRow[]
  readonly isClassified: boolean
  readonly isIncomplete: boolean
}

/** A transaction that is expected. */
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

/** The nodes of an emulated trace. `senderOf`: who sent a message that begins it. */
export function toStoredNodes(
  { transactions }: EmulatedTrace,
  senderOf: (messageHash: string) => string | undefined = () => undefined,
): { readonly nodes: readonly StoredNode[]; readonly isCut: boolean } {
  const nodes: StoredNode[] = []
  let characters = 0
  for (const transaction of transactions) {
    const node = toNode(transaction, senderOf)
    characters += node.boc.length
    // The rest comes after its senders, so what was taken is a trace.
    if (characters > MAX_CHARACTERS) return { nodes, isCut: true }
    nodes.push(node)
  }
  return { nodes, isCut: false }
}

function toNode(
  { transaction, boc, parent, block, mcBlockSeqno, before, after }: EmulatedTransaction,
  senderOf: (messageHash: string) => string | undefined,
): StoredNode {
  const { inMsg, account } = transaction
  return {
    boc: Buffer.from(boc).toString('base64'),
    workchain: account.workchain,
    parent,
    sender: parent === undefined && inMsg ? senderOf(inMsg.hash.toString('base64')) : undefined,
    block,
    mcBlockSeqno,
    before: toState(before),
    after: toState(after),
  }
}

const toState = ({ status, balance, code, data, frozenHash, extraCurrencies }: AccountView): StoredState => ({
  status,
  balance,
  codeHash: code?.hash().toString('base64'),
  dataHash: data?.hash().toString('base64'),
  frozenHash: frozenHash?.toString('base64'),
  extraCurrencies: extraCurrencies && currencies(extraCurrencies),
})

const currencies = (amounts: ExtraCurrencies): Readonly<Record<string, string>> =>
  Object.fromEntries([...amounts].map(([id, amount]) => [String(id), String(amount)]))

/** JSON with bigints as `{"$bigint": "1"}`. */
export const encodeTrace = (trace: StoredTrace): string =>
  JSON.stringify(trace, (_, value: unknown) =>
    typeof value === 'bigint' ? { $bigint: String(value) } : value,
  )

export const decodeTrace = (text: string): StoredTrace =>
  JSON.parse(text, (_, value: unknown) => {
    const tagged = (value as { readonly $bigint?: unknown } | null)?.$bigint
    return typeof tagged === 'string' ? BigInt(tagged) : value
  }) as StoredTrace
