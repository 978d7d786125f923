import { type StateRow, type TraceTransactionView, toTransactionReply } from '@shardwalk/api-schema'
import { parseRoot } from '@shardwalk/cells'
import { mapPaced } from '@shardwalk/concurrency'
import { JETTON, NFT } from '@shardwalk/contracts'
import { ACCOUNT_STATUS, type DecodedTransaction, formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { StoredNode, StoredState, StoredTrace } from '@shardwalk/pending'
import type { Finality } from '@shardwalk/streaming'
import { loadTransaction } from '@shardwalk/tlb'
import { AccountNumbers } from '../accounts/account-numbers.ts'
import { transactionView } from '../emulated/transaction-views.ts'
import type { RenderContext } from '../render-context.ts'
import { replyContext } from '../transactions/reply-context.ts'

/** A transaction of a pending trace, rendered. */
export interface ExpectedNode extends TraceTransactionView {
  /** Raw form. */
  readonly account: string
  readonly lt: bigint
  /** Unix seconds. */
  readonly now: number
  readonly mcBlockSeqno: number
  readonly outMessages: number
  /** Whether it only takes notice of what was done: what was done is done without it. */
  readonly isCourtesy: boolean
  readonly finality: Finality
  /** The accounts that an address book for it covers, in raw form. */
  readonly listed: readonly string[]
}

interface Of {
  /** Normalised hash of the message that the trace begins with. */
  readonly externalHash: Buffer
  /** Null while its root has not happened. */
  readonly traceId: Buffer | null
}

/** The transactions of a snapshot that are not indexed, in its order and without their senders. */
export function renderExpected(
  context: RenderContext,
  { expected, globalVersion }: StoredTrace,
  { externalHash, traceId }: Of,
): Promise<ExpectedNode[]> {
  const accounts = new AccountNumbers()
  const views = { accounts, globalVersion, externalHash, traceId: traceId ?? undefined }
  const serialiser = replyContext(context, accounts)
  return mapPaced(expected, (node): ExpectedNode => {
    const transaction = transactionOf(node)
    const { block, mcBlockSeqno } = node
    const states = { before: stateRow(node.before), after: stateRow(node.after) }
    const isConfirmed = node.confirmed !== undefined
    const view = transactionView({ transaction, block, mcBlockSeqno, isConfirmed, ...states }, views)
    return {
      ...factsOf(transaction),
      finality: isConfirmed ? 'confirmed' : 'pending',
      mcBlockSeqno,
      reply: toTransactionReply(view, serialiser),
    }
  })
}

function transactionOf({ boc, workchain }: StoredNode): DecodedTransaction {
  return loadTransaction(parseRoot(Buffer.from(boc, 'base64')).slice(), workchain)
}

function factsOf({ hash, account, lt, now, inMsg, outMsgs }: DecodedTransaction) {
  const named: readonly (RawAddress | undefined)[] = [
    account,
    inMsg?.source,
    ...outMsgs.map((message) => message.destination),
  ]
  return {
    hash,
    inMsgHash: inMsg?.hash,
    account: formatRawAddress(account),
    lt,
    now,
    outMessages: outMsgs.length,
    isCourtesy: outMsgs.length === 0 && inMsg?.opcode !== undefined && COURTESIES.has(inMsg.opcode),
    listed: [...new Set(named.flatMap((address) => (address ? formatRawAddress(address) : [])))],
  }
}

/** Source: TEP-62, TEP-74; TON Center ignores the same ones. */
const COURTESIES: ReadonlySet<number> = new Set([
  JETTON.transferNotification,
  JETTON.excesses,
  NFT.ownershipAssigned,
])

const stateRow = (state: StoredState): StateRow => ({
  balance_after: state.balance,
  code_hash_after: bytesOf(state.codeHash),
  data_hash_after: bytesOf(state.dataHash),
  frozen_hash_after: bytesOf(state.frozenHash),
  extra_currencies_after: state.extraCurrencies ?? null,
  end_status: ACCOUNT_STATUS.indexOf(state.status),
})

const bytesOf = (hash: string | undefined): Buffer | null =>
  hash === undefined ? null : Buffer.from(hash, 'base64')
