import {
  type AccountId,
  type Batch,
  type DecodedBlock,
  type DecodedTransaction,
  errorMessage,
  formatRawAddress,
  formatShortId,
  type Lt,
  type McBlockSeqno,
  shardPrefixLength,
} from '@shardwalk/model'
import { TABLES } from '@shardwalk/tables'
import type { PieceId } from '@shardwalk/traces'
import { RowEncodeError } from '../errors.ts'
import { type AccountIdOverrides, AccountIds, type AccountList } from './account-ids.ts'
import { writeBlockRows } from './block-rows.ts'
import { CodeRows } from './code-rows.ts'
import { CopyBuffer } from './copy-buffer.ts'
import { type EncodedTraces, TraceEncoder } from './encode-traces.ts'
import type { EncodedRows } from './encoded-rows.ts'
import { greatest, least } from './lt.ts'
import { type MessageContext, writeMessageRow } from './message-row.ts'
import { inOneMemory } from './one-memory.ts'
import {
  type LastOfAccount,
  writeAccountDataRow,
  writeHiddenCurrenciesRow,
  writeLatestStateRow,
  writeStatePartRow,
} from './state-rows.ts'
import { writeTransactionRow } from './transaction-row.ts'

/** What rows depend on besides the batch. */
export interface EncodeOptions {
  /**
   * Global version in force for this batch (`RawBatch.globalVersion`). It determines the meaning of the field
   * after a message's value; if it is not known, rows have that field in neither column.
   */
  readonly globalVersion: number | undefined
  /** `AccountIdTaken.overrides` of an earlier attempt. */
  readonly overrides?: AccountIdOverrides
}

/**
 * One batch, ready to be streamed into the database. Plain data that can be posted between threads;
 * `transferables` lists what to move.
 */
export interface EncodedBatch {
  readonly mcBlockSeqno: McBlockSeqno
  /** -239 mainnet, -3 testnet; undefined if the block cannot be decoded. Source: block.tlb `Block`. */
  readonly globalId: number | undefined
  readonly accounts: AccountList
  readonly blocks: EncodedRows
  readonly transactions: EncodedRows
  /**
   * Messages for which no other batch has a row: received in this batch too, external, or without a sender.
   */
  readonly messages: EncodedRows
  /**
   * Internal messages sent in this batch and received in another one, which may already have written the row.
   */
  readonly messagesSent: EncodedRows
  /**
   * Internal messages received in this batch and sent in another one, which writes the row unless it is not
   * indexed. `starts`: offset of each row.
   */
  readonly messagesReceived: EncodedRows & { readonly starts: Uint32Array<ArrayBuffer> }
  readonly latestStates: EncodedRows
  readonly accountData: EncodedRows
  readonly codes: EncodedRows
  /** Incomplete trees of code and data, of every block's states. */
  readonly stateParts: EncodedRows
  /** Extra currencies that the blocks do not contain. */
  readonly hiddenCurrencies: EncodedRows
  readonly traces: EncodedTraces
  /** Greatest and least lt of rows in partitioned tables; undefined when there are none. */
  readonly ltRange?: { readonly from: Lt; readonly to: Lt }
  /** lt of received messages from before the range, which waited in queues. */
  readonly oldLts: readonly Lt[]
}

/**
 * Encodes a decoded batch as rows. Pure: the same batch gives the same bytes. Throws `RowEncodeError`, which
 * names block and transaction, of all transactions that have no rows.
 */
export function encodeBatch(batch: Batch, options: EncodeOptions): EncodedBatch {
  return new BatchEncoder(batch, options).encode()
}

/** Buffers of an encoded batch that `postMessage` may transfer instead of copying. */
export const transferables = (batch: EncodedBatch): ArrayBuffer[] => [batch.transactions.bytes.buffer]

class BatchEncoder {
  private readonly ids: AccountIds
  private readonly messageContext: MessageContext
  private readonly transactions = new CopyBuffer(TABLES.transactions, 1 << 13)
  private readonly messages = new CopyBuffer(TABLES.messages, 1 << 13)
  private readonly messagesSent = new CopyBuffer(TABLES.messages)
  private readonly messagesReceived = new CopyBuffer(TABLES.messages)
  private readonly receivedStarts: number[] = []
  private readonly lastInPiece = new Map<AccountId, InPiece>()
  private readonly lastOfAccount = new Map<AccountId, LastOfAccount>()
  private readonly lastData = new Map<AccountId, LastOfAccount>()
  private readonly codes = new CodeRows()
  private readonly stateParts = new CopyBuffer(TABLES.state_parts, 1024)
  private readonly hiddenCurrencies = new CopyBuffer(TABLES.hidden_currencies, 1024)
  private readonly oldLts: Lt[] = []
  private readonly traces: TraceEncoder
  private readonly faults: Fault[] = []

  constructor(
    private readonly batch: Batch,
    { globalVersion, overrides = new Map() }: EncodeOptions,
  ) {
    this.ids = new AccountIds(overrides)
    this.traces = new TraceEncoder(batch, (address) => this.ids.idOf(address))
    this.messageContext = { ids: this.ids, globalVersion, codes: this.codes }
  }

  encode(): EncodedBatch {
    const { masterchain, shards } = this.batch
    const blocks = [...shards, masterchain]
    // First: if a block has no row, its transactions have none.
    const blockRows = new CopyBuffer(TABLES.blocks)
    writeBlockRows(blockRows, this.batch)
    let nth = 0
    for (const block of blocks) {
      const shardLength = shardPrefixLength(block.id.shard)
      for (const tx of block.transactions) this.addTransaction(tx, { block, shardLength, nth: nth++ })
    }
    this.throwFaults()
    return inOneMemory({
      mcBlockSeqno: masterchain.id.seqno,
      globalId: masterchain.header.globalId,
      blocks: blockRows.finish(),
      transactions: this.transactions.finish(),
      messages: this.messages.finish(),
      messagesSent: this.messagesSent.finish(),
      messagesReceived: { ...this.messagesReceived.finish(), starts: Uint32Array.from(this.receivedStarts) },
      ...this.encodeStates(),
      traces: this.traces.finish(),
      accounts: this.ids.list(),
      ltRange: ltRangeOf(blocks),
      oldLts: this.oldLts,
    })
  }

  /** `nth`: index among the transactions of the batch. */
  private addTransaction(
    tx: DecodedTransaction,
    {
      block,
      shardLength,
      nth,
    }: { readonly block: DecodedBlock; readonly shardLength: number; readonly nth: number },
  ): void {
    try {
      const accountId = this.ids.idOf(tx.account)
      this.ids.noteRow(accountId, tx.lt)
      const inMsg = this.addInMessage(tx, accountId, block)
      this.addOutMessages(tx, accountId)
      const at = { block, mcBlockSeqno: this.batch.masterchain.id.seqno, shardLength, accountId, inMsg }
      const piece = this.traces.pieceOf(nth)
      const previous = this.previousInPiece(accountId, { tx, piece })
      writeTransactionRow(this.transactions, tx, { ...at, piece, previous })
      this.noteState({ accountId, block, tx })
    } catch (error) {
      // Any error is caused by this transaction and would recur with the same bytes.
      const path = `block ${formatShortId(block.id)}, transaction ${formatRawAddress(tx.account)} ${tx.lt}`
      this.faults.push([path, errorMessage(error), tx])
      for (const rows of this.rowsOfTransactions()) rows.abandonRow()
    }
  }

  private rowsOfTransactions(): readonly Pick<CopyBuffer<never>, 'abandonRow'>[] {
    const { transactions, messages, messagesSent, messagesReceived, stateParts, hiddenCurrencies } = this
    return [transactions, messages, messagesSent, messagesReceived, stateParts, hiddenCurrencies]
  }

  /** All at once, because the batch is encoded again without them. */
  private throwFaults(): void {
    const [first, ...others] = this.faults
    if (!first) return
    throw new RowEncodeError(
      ...first,
      others.map((fault) => new RowEncodeError(...fault)),
    )
  }

  /** Blocks come after their predecessors, and an account's transactions in the order of lt. */
  private previousInPiece(accountId: AccountId, last: InPiece): DecodedTransaction | undefined {
    const previous = this.lastInPiece.get(accountId)
    this.lastInPiece.set(accountId, last)
    return previous?.piece === last.piece ? previous.tx : undefined
  }

  private addInMessage(tx: DecodedTransaction, receiver: AccountId, block: DecodedBlock) {
    const message = tx.inMsg
    if (!message) return undefined
    if (message.kind !== 'internal' || message.isSystem) {
      writeMessageRow(this.messages, message, { accountId: receiver, lt: tx.lt }, this.messageContext)
      return { lt: tx.lt }
    }
    if (!message.source || message.createdLt === undefined)
      throw new RangeError(`in_msg of transaction ${tx.hash.toString('hex')} has no src or created_lt`)
    const key = { accountId: this.ids.idOf(message.source), lt: message.createdLt }
    if (this.traces.isOpen(message)) {
      this.receivedStarts.push(this.messagesReceived.size)
      writeMessageRow(this.messagesReceived, message, key, this.messageContext)
      if (key.lt < block.header.startLt) this.oldLts.push(key.lt)
    }
    return key
  }

  private addOutMessages(tx: DecodedTransaction, sender: AccountId): void {
    tx.outMsgs.forEach((message, index) => {
      const lt = tx.lt + 1n + BigInt(index)
      if (message.createdLt !== lt)
        throw new RangeError(`out message ${index} has created_lt ${message.createdLt}`)
      const rows = this.traces.isOpen(message) ? this.messagesSent : this.messages
      writeMessageRow(rows, message, { accountId: sender, lt }, this.messageContext)
    })
  }

  private noteState(last: LastOfAccount): void {
    const state = last.tx.stateAfter
    if (!state) return
    keepNewest(this.lastOfAccount, last)
    // Codes of all states in the batch, not only the newest, so that rows do not depend on the split into
    // batches.
    if (state.code && state.codeHash) this.codes.add(state.codeHash, state.code)
    for (const { hash, code } of state.libraries ?? []) this.codes.add(hash, code)
    if (state.data && state.dataHash) keepNewest(this.lastData, last)
    const mcBlockSeqno = this.batch.masterchain.id.seqno
    if (state.parts) writeStatePartRow(this.stateParts, last, mcBlockSeqno)
    if (state.extraCurrenciesHash) writeHiddenCurrenciesRow(this.hiddenCurrencies, last, mcBlockSeqno)
  }

  private encodeStates(): Pick<
    EncodedBatch,
    'latestStates' | 'accountData' | 'codes' | 'stateParts' | 'hiddenCurrencies'
  > {
    const mcBlockSeqno = this.batch.masterchain.id.seqno
    const latestStates = new CopyBuffer(TABLES.latest_account_states)
    const accountData = new CopyBuffer(TABLES.account_data)
    for (const last of this.lastOfAccount.values()) writeLatestStateRow(latestStates, last, mcBlockSeqno)
    for (const last of this.lastData.values()) writeAccountDataRow(accountData, last)
    return {
      latestStates: latestStates.finish(),
      accountData: accountData.finish(),
      codes: this.codes.rows.finish(),
      stateParts: this.stateParts.finish(),
      hiddenCurrencies: this.hiddenCurrencies.finish(),
    }
  }
}

type Fault = readonly [path: string, problem: string, transaction: DecodedTransaction]

interface InPiece {
  readonly tx: DecodedTransaction
  readonly piece: PieceId
}

function keepNewest(map: Map<AccountId, LastOfAccount>, last: LastOfAccount): void {
  const known = map.get(last.accountId)
  if (!known || known.tx.lt < last.tx.lt) map.set(last.accountId, last)
}

/**
 * Transactions and what they send lie inside the lt interval of their block. Source: block.tlb `BlockInfo`,
 * start_lt and end_lt.
 */
function ltRangeOf(blocks: readonly DecodedBlock[]): EncodedBatch['ltRange'] {
  const used = blocks.filter((block) => block.transactions.length > 0)
  if (used.length === 0) return undefined
  return {
    from: used.map((block) => block.header.startLt).reduce(least),
    to: used.map((block) => block.header.endLt).reduce(greatest),
  }
}
