import type { Trace, TraceMessage, TraceTransaction } from '@shardwalk/actions'
import { type DecodedMessage, extraCurrencyTexts, formatRawAddress, SYSTEM_ADDRESS } from '@shardwalk/model'
import type { EmulatedTrace, EmulatedTransaction } from './types.ts'
import { latest } from './virtual-blocks.ts'

/** The trace in the form that the classifier of indexed traces takes. */
export function toActionTrace({ transactions, message }: EmulatedTrace): Trace {
  const root = transactions[0]!
  const times = transactions.map(({ transaction }) => transaction.now)
  return {
    traceId: base64(root.transaction.hash),
    externalHash: base64(message.hash),
    externalHashNorm: message.hashNorm ? base64(message.hashNorm) : null,
    mcBlockSeqnoEnd: Math.max(...transactions.map(({ mcBlockSeqno }) => mcBlockSeqno)),
    startLt: root.transaction.lt,
    endLt: latest(transactions.map(({ transaction }) => transaction.lt)),
    startUtime: root.transaction.now,
    endUtime: Math.max(...times),
    transactions: transactions.map(toTransaction),
  }
}

/** The trace that has begun and what would follow. */
export function continued(begun: Trace, { transactions }: EmulatedTrace): Trace {
  const followers = transactions.map(toTransaction)
  return {
    ...begun,
    mcBlockSeqnoEnd: Math.max(begun.mcBlockSeqnoEnd, ...followers.map((one) => one.mcBlockSeqno)),
    endLt: latest([begun.endLt, ...followers.map((one) => one.lt)]),
    endUtime: Math.max(begun.endUtime, ...followers.map((one) => one.now)),
    transactions: [...begun.transactions, ...followers],
  }
}

function toTransaction({ transaction, mcBlockSeqno }: EmulatedTransaction): TraceTransaction {
  const { kind, aborted, computePhase: compute } = transaction.description
  return {
    hash: base64(transaction.hash),
    account: formatRawAddress(transaction.account),
    lt: transaction.lt,
    now: transaction.now,
    mcBlockSeqno,
    origStatus: transaction.origStatus,
    endStatus: transaction.endStatus,
    kind,
    aborted: aborted === true,
    exitCode: compute && !compute.skipped ? compute.exitCode : null,
    skipReason: compute?.skipped ? compute.reason : null,
    inMessage: transaction.inMsg ? toMessage(transaction.inMsg) : null,
    outMessages: transaction.outMsgs.map(toMessage),
  }
}

function toMessage(message: DecodedMessage): TraceMessage {
  const isExternal = message.kind === 'external_in'
  const currencies = message.valueExtraCurrencies
  return {
    hash: base64(message.hash),
    source: isExternal ? null : formatRawAddress(message.source ?? SYSTEM_ADDRESS),
    destination: message.destination ? formatRawAddress(message.destination) : null,
    value: message.value ?? null,
    extraCurrencies: currencies ? extraCurrencyTexts(currencies) : null,
    createdLt: message.createdLt ?? null,
    createdAt: message.createdAt ?? null,
    opcode: message.opcode ?? null,
    bounce: isExternal ? null : message.bounce === true,
    body: message.body,
    initState: message.initState ?? null,
  }
}

const base64 = (hash: Buffer): string => hash.toString('base64')
