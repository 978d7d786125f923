import { type Cell, EMPTY_CELL, parseRoot, type Slice, serializeBoc } from '@shardwalk/cells'
import { readJettonBurn, readJettonTransfer, readNftTransfer } from '@shardwalk/contracts'
import {
  type AccountId,
  type Lt,
  type McBlockSeqno,
  type RawAddress,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import type { Row, TableName } from '@shardwalk/tables'

/** A transaction that a token message started, and of the message what events show. */
export interface Candidate {
  readonly mc_block_seqno: McBlockSeqno
  readonly account_id: AccountId
  readonly lt: Lt
  readonly now: number
  readonly kind: number
  readonly aborted: boolean | null
  readonly source_id: AccountId
  readonly opcode: number
  readonly body: Buffer | null
}

const ORDINARY = TRANSACTION_KIND.indexOf('ord')

/**
 * The part that depends on the transaction alone. Whether the row is listed, and its token, are looked up
 * when it is written.
 */
type EventRow<Table extends TableName, Token extends keyof Row<Table>> = Omit<Row<Table>, 'confirmed' | Token>

type JettonTransferRow = EventRow<'jetton_transfers', 'jetton_id'>
type JettonBurnRow = EventRow<'jetton_burns', 'jetton_id'>
type NftTransferRow = EventRow<'nft_transfers', 'collection_id'>

/** What a transaction may be, by table. */
export interface TokenEvents {
  readonly seqno: McBlockSeqno
  readonly jetton_transfers: JettonTransferRow | undefined
  readonly jetton_burns: JettonBurnRow | undefined
  readonly nft_transfers: NftTransferRow | undefined
}

/** A transaction whose message may be an event, and the message's body. */
interface Received {
  readonly tx: Candidate
  readonly body: Slice
  readonly maybeId: (address: RawAddress | undefined) => AccountId | null
}

/** What the transaction is by its message alone. Throws `DecodeError` for a damaged body. */
export function toEvents(tx: Candidate, idOf: (address: RawAddress) => AccountId): TokenEvents {
  const maybeId = (address: RawAddress | undefined) => (address ? idOf(address) : null)
  const received: Received = { tx, body: bodyOf(tx.body).slice(), maybeId }
  return {
    seqno: tx.mc_block_seqno,
    jetton_transfers: tx.kind === ORDINARY ? toJettonTransfer(received) : undefined,
    jetton_burns: tx.kind === ORDINARY ? toJettonBurn(received) : undefined,
    nft_transfers: toNftTransfer(received),
  }
}

const placeOf = ({ account_id, lt, now, aborted }: Candidate) => ({
  account_id,
  lt,
  now,
  aborted: aborted ?? false,
})

function toJettonTransfer({ tx, body, maybeId }: Received): JettonTransferRow | undefined {
  const transfer = readJettonTransfer(body)
  return (
    transfer && {
      ...placeOf(tx),
      source_id: tx.source_id,
      destination_id: maybeId(transfer.destination),
      response_id: maybeId(transfer.responseDestination),
      query_id: String(transfer.queryId),
      amount: String(transfer.amount),
      forward_amount: String(transfer.forwardTonAmount),
      custom_payload: toBoc(transfer.customPayload),
      forward_payload: toBoc(transfer.forwardPayload),
    }
  )
}

function toJettonBurn({ tx, body, maybeId }: Received): JettonBurnRow | undefined {
  const burn = readJettonBurn(body)
  return (
    burn && {
      ...placeOf(tx),
      owner_id: tx.source_id,
      response_id: maybeId(burn.responseDestination),
      query_id: String(burn.queryId),
      amount: String(burn.amount),
      custom_payload: toBoc(burn.customPayload),
      forward_payload: null,
    }
  )
}

function toNftTransfer({ tx, body, maybeId }: Received): NftTransferRow | undefined {
  const transfer = readNftTransfer(body)
  return (
    transfer && {
      ...placeOf(tx),
      old_owner_id: tx.source_id,
      new_owner_id: maybeId(transfer.newOwner),
      response_id: maybeId(transfer.responseDestination),
      query_id: String(transfer.queryId),
      forward_amount: String(transfer.forwardAmount),
      custom_payload: toBoc(transfer.customPayload),
      forward_payload: toBoc(transfer.forwardPayload),
    }
  )
}

function bodyOf(boc: Buffer | null): Cell {
  if (!boc) return EMPTY_CELL
  return parseRoot(boc, { allowLevel: true })
}

const toBoc = (cell: Cell | undefined): Buffer | null => (cell ? serializeBoc(cell) : null)
