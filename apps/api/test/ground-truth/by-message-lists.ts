import { type Case, type ComparedChain, eachFilter } from './compared-chain.ts'
import type { Examples } from './examples.ts'
import type { ExpectedMessage, ExpectedTransaction } from './expected-chain.ts'
import { EMPTY, EMPTY_HASH } from './orders.ts'

/** Transactions at either end of messages. */
const ends = (matches: (m: ExpectedMessage) => boolean, side?: string) => (t: ExpectedTransaction) =>
  (side !== 'out' && t.inMsg !== undefined && matches(t.inMsg)) || (side !== 'in' && t.outMsgs.some(matches))
const opcodeIs =
  ({ internal }: Examples) =>
  (m: ExpectedMessage) =>
    m.opcode === internal.opcode

const BY_MESSAGE_CASES: readonly Case<ExpectedTransaction>[] = [
  ['hash', (of) => ({ msg_hash: of.internal.key }), (t, of) => ends((m) => m === of.internal)(t)],
  [
    'hash, receiver',
    (of) => ({ msg_hash: of.internal.key, direction: 'in' }),
    (t, of) => ends((m) => m === of.internal, 'in')(t),
  ],
  [
    'hash, sender',
    (of) => ({ msg_hash: of.internal.key, direction: 'out' }),
    (t, of) => ends((m) => m === of.internal, 'out')(t),
  ],
  [
    'normalised hash',
    (of) => ({ msg_hash: of.normalised.hashNorm!.toString('hex') }),
    (t, of) => ends((m) => m.hashNorm?.equals(of.normalised.hashNorm!) ?? false)(t),
  ],
  [
    'opcode: receivers only',
    (of) => ({ opcode: `0x${of.internal.opcode!.toString(16)}` }),
    (t, of) => ends(opcodeIs(of), 'in')(t),
  ],
  ['opcode and sender: nothing', () => ({ opcode: '0x0', direction: 'out' }), () => false],
  [
    'body',
    (of) => ({ body_hash: of.internal.bodyHash.toString('hex') }),
    (t, of) => ends((m) => m.bodyHash.equals(of.internal.bodyHash))(t),
  ],
  [
    'empty body, senders',
    () => ({ body_hash: EMPTY, direction: 'out' }),
    (t) => ends((m) => m.bodyHash.equals(EMPTY_HASH), 'out')(t),
  ],
  [
    'opcode and source',
    (of) => ({ opcode: `0x${of.internal.opcode!.toString(16)}`, source: of.internal.source }),
    (t, of) => ends((m) => opcodeIs(of)(m) && m.source === of.internal.source, 'in')(t),
  ],
  [
    'empty body, of an account',
    (of) => ({ body_hash: EMPTY, account: of.accounts[3]! }),
    (t, of) => t.account === of.accounts[3] && ends((m) => m.bodyHash.equals(EMPTY_HASH))(t),
  ],
  [
    'opcode, in a period',
    (of) => ({ opcode: `0x${of.internal.opcode!.toString(16)}`, end_utime: of.time(0.8) }),
    (t, of) => t.now <= of.time(0.8) && ends(opcodeIs(of), 'in')(t),
  ],
  [
    'hash, in another block',
    (of) => ({ msg_hash: of.internal.key, mc_seqno: 3 }),
    (t, of) => t.block.mcBlockSeqno === 3 && ends((m) => m === of.internal)(t),
  ],
]

// A client that looks for a payment must not be shown other transactions.
const ONLY_MESSAGE_CASES: readonly Case<ExpectedTransaction>[] = [
  ['a hash that no message has', () => ({ msg_hash: '12'.repeat(32) }), () => false],
  [
    'source and account',
    (of) => ({ source: of.internal.source, account: of.internal.destination }),
    (t, of) => t.account === of.internal.destination && ends((m) => m.source === of.internal.source)(t),
  ],
  ['source null', () => ({ source: 'null' }), (t) => ends((m) => m.kind === 'external_in')(t)],
  [
    'direction',
    () => ({ direction: 'out', workchain: 0 }),
    (t) => t.outMsgs.length > 0 && t.block.workchain === 0,
  ],
]

export function byMessageLists(chain: () => ComparedChain): void {
  eachFilter({ list: 'transactionsByMessage', cases: BY_MESSAGE_CASES }, chain, (query, matches) =>
    chain().expectTransactions('transactionsByMessage', query, matches),
  )
  const list = 'transactions, as TON Center'
  eachFilter({ list, cases: [...BY_MESSAGE_CASES, ...ONLY_MESSAGE_CASES] }, chain, (query, matches) =>
    chain().expectTransactions('transactions', query, matches),
  )
}
