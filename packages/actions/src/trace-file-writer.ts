import type { AccountFacts } from './facts.ts'
import type { Address, Trace, TraceMessage, TraceTransaction } from './trace.ts'
import type { TraceFile } from './trace-file.ts'

/** Inverse of `readTraceFile`: writes what classification reads of a trace and its contracts. */
export function writeTraceFile(trace: Trace, facts: ReadonlyMap<Address, AccountFacts>): TraceFile {
  return {
    format: 1,
    trace: {
      trace_id: trace.traceId,
      external_hash: trace.externalHash,
      external_hash_norm: trace.externalHashNorm,
      mc_seqno_end: trace.mcBlockSeqnoEnd,
      start_lt: String(trace.startLt),
      end_lt: String(trace.endLt),
      start_utime: trace.startUtime,
      end_utime: trace.endUtime,
      nodes: trace.nodes ?? trace.transactions.length,
    },
    transactions: trace.transactions.map(transactionToFile),
    interfaces: Object.fromEntries([...facts].map(([address, known]) => [address, factsToFile(known)])),
  }
}

function transactionToFile(transaction: TraceTransaction): Record<string, unknown> {
  const { inMessage, outMessages } = transaction
  return {
    hash: transaction.hash,
    account: transaction.account,
    lt: String(transaction.lt),
    now: transaction.now,
    mc_block_seqno: transaction.mcBlockSeqno,
    orig_status: transaction.origStatus,
    end_status: transaction.endStatus,
    descr: transaction.kind,
    aborted: transaction.aborted,
    compute_exit_code: transaction.exitCode,
    compute_skip_reason: transaction.skipReason ?? null,
    messages: [
      ...(inMessage ? [{ direction: 'in', ...messageToFile(inMessage) }] : []),
      ...outMessages.map((message) => ({ direction: 'out', ...messageToFile(message) })),
    ],
  }
}

const messageToFile = (message: TraceMessage): Record<string, unknown> => ({
  msg_hash: message.hash,
  source: message.source,
  destination: message.destination,
  value: text(message.value),
  value_extra_currencies: message.extraCurrencies ?? null,
  created_lt: text(message.createdLt),
  created_at: message.createdAt,
  opcode: message.opcode === null ? null : `0x${message.opcode.toString(16).padStart(8, '0')}`,
  bounce: message.bounce ?? null,
  body: base64(message.body),
  init_state: base64(message.initState),
})

const text = (value: bigint | null | undefined): string | null => (value == null ? null : String(value))
const base64 = (bytes: Uint8Array | null | undefined): string | null =>
  bytes == null ? null : Buffer.from(bytes).toString('base64')

type FileFacts = Record<string, Record<string, unknown>>

function factsToFile(known: AccountFacts): FileFacts {
  const { jettonWallet, dedustPool, multisigOrder } = known
  return {
    ...(jettonWallet && { JettonWallet: { ...jettonWallet } }),
    ...nftFactsToFile(known),
    ...(dedustPool && {
      DedustPool: { assets: dedustPool.assets.map((asset) => ({ is_ton: asset === null, address: asset })) },
    }),
    ...(known.nominatorPool && { NominatorPool: {} }),
    ...(multisigOrder && {
      MultisigOrder: { multisig_address: multisigOrder.multisig, signers: multisigOrder.signers },
    }),
    ...(known.data && { data_boc: { data_boc: base64(known.data) } }),
  }
}

function nftFactsToFile({ nftItem, nftSale, nftAuction }: AccountFacts): FileFacts {
  return {
    ...(nftItem && {
      NftItem: {
        index: text(nftItem.index),
        collection_address: nftItem.collection,
        content: { uri: nftItem.uri ?? null },
        code_hash: nftItem.codeHash ?? null,
        ...(nftItem.isDomain && { is_domain: true }),
      },
    }),
    ...(nftSale && {
      NftSale: {
        marketplace_address: nftSale.marketplace,
        nft_address: nftSale.nft,
        nft_owner_address: nftSale.owner,
        full_price: text(nftSale.fullPrice),
        code_hash: nftSale.codeHash ?? null,
      },
    }),
    ...(nftAuction && {
      NftAuction: {
        mp_addr: nftAuction.marketplace,
        nft_addr: nftAuction.nft,
        nft_owner: nftAuction.owner,
        last_bid: text(nftAuction.lastBid),
        code_hash: nftAuction.codeHash ?? null,
      },
    }),
  }
}
