import { blockPath, tracePath, transactionPath } from '../frame/paths.ts'
import { Comment } from '../text/chain-text.tsx'
import { formatCount } from '../text/numbers.ts'
import { exitCodeInWords } from './exit-codes.ts'
import { Address, type Column, Hash, Table, Time, Ton } from './parts.tsx'
import type { Message, Names, Transaction } from './replies.ts'

/** How a transaction ended: a sign, and a word for those who cannot see its colour. */
export function outcomeOf({ description }: Pick<Transaction, 'description'>): {
  readonly word: string
  readonly isGood: boolean
} {
  const { compute_ph: compute, action, aborted, type, destroyed } = description
  if (type === 'tick_tock' && !aborted) return { word: description.is_tock ? 'tock' : 'tick', isGood: true }
  if (compute?.skipped === true)
    return {
      word: `skipped: ${compute.reason.replace('_', ' ')}`,
      isGood: !aborted || isDeposit(description),
    }
  if (compute && !compute.skipped && !compute.success)
    return { word: `exit code ${compute.exit_code}`, isGood: false }
  if (action && !action.success) return { word: `action failed, ${action.result_code}`, isGood: false }
  if (aborted) return { word: 'aborted', isGood: false }
  return { word: destroyed ? 'destroyed' : 'success', isGood: true }
}

/** An account without code keeps what it gets, unless the message bounces. */
const isDeposit = ({ compute_ph: compute, bounce }: Transaction['description']): boolean =>
  compute?.skipped === true && compute.reason === 'no_state' && !bounce

/** Whether a transaction did what its message asked for, in a word. */
export const Outcome = ({ transaction }: { readonly transaction: Transaction }) => {
  const { word, isGood } = outcomeOf(transaction)
  return <span class={`outcome ${isGood ? 'good' : 'bad'}`}>{word}</span>
}

/** Opcode as hex, in both profiles. */
export const opcodeHex = (opcode: Message['opcode']): string | undefined =>
  opcode === null
    ? undefined
    : typeof opcode === 'string'
      ? opcode
      : `0x${(opcode >>> 0).toString(16).padStart(8, '0')}`

/** The name of an opcode with its hex, or the hex alone. */
export function Opcode({ message }: { readonly message: Message }) {
  const hex = opcodeHex(message.opcode)
  if (hex === undefined) return <span class="soft">none</span>
  return (
    <span title={hex}>
      {message.decoded_opcode ? (
        <>
          <Breakable name={message.decoded_opcode} /> <small class="mono">{hex}</small>
        </>
      ) : (
        <span class="mono">{hex}</span>
      )}
    </span>
  )
}

/** A name that may be broken between its words. */
const Breakable = ({ name }: { readonly name: string }) => (
  <span class="words">{name.split(/(?<=[_,])/).map((word, index) => [index > 0 && <wbr />, word])}</span>
)

/** The text of a comment in a decoded body. */
export function commentIn(message: Message): string | undefined {
  const decoded = message.message_content?.decoded as Record<string, unknown> | null | undefined
  const text = decoded?.['comment'] ?? decoded?.['text']
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** Kind of a message: internal, external in or external out. */
export const kindOf = ({ source, destination }: Message): string =>
  source === null ? 'external in' : destination === null ? 'external out' : 'internal'

interface ListProps {
  readonly transactions: readonly Transaction[]
  readonly names: Names
  /** The account of all of them; undefined: those of a block. */
  readonly self?: string | undefined
  readonly caption: string
  readonly empty: string
}

/** A table of transactions, of one account or of one block. */
export function TransactionTable({ transactions, names, self, caption, empty }: ListProps) {
  const account: Column<Transaction> = {
    name: 'Account',
    cell: (transaction) => <Address raw={transaction.account} names={names} />,
  }
  const time: Column<Transaction> = { name: 'Time', cell: ({ now }) => <Time unix={now} /> }
  const columns: Column<Transaction>[] = [
    // Transactions of a block have its time.
    ...(self === undefined ? [] : [time]),
    { name: 'Transaction', cell: ({ hash }) => <Hash hash={hash} path={transactionPath} /> },
    ...(self === undefined ? [account] : []),
    {
      name: 'In',
      cell: ({ in_msg: message }) =>
        message ? <Address raw={message.source} names={names} /> : <span class="soft">system</span>,
    },
    { name: 'Opcode', cell: ({ in_msg: message }) => message && <Opcode message={message} /> },
    { name: 'Value', cell: ({ in_msg: message }) => message && <Ton nano={message.value} />, isNumber: true },
    { name: 'Sent', cell: ({ out_msgs: sent }) => formatCount(sent.length), isNumber: true },
    { name: 'Fees', cell: ({ total_fees: fees }) => <Ton nano={fees} />, isNumber: true },
    { name: 'Result', cell: (transaction) => <Outcome transaction={transaction} /> },
  ]
  return (
    <Table caption={caption} columns={columns} rows={transactions} keyOf={({ hash }) => hash} empty={empty} />
  )
}

/** Comment of a message, if it has one. */
export function MessageComment({ message }: { readonly message: Message }) {
  const text = commentIn(message)
  return text === undefined ? null : <Comment text={text} />
}

/** An exit code of the TVM, with its meaning if that is standard. */
export const ExitCode = ({ code }: { readonly code: number }) => {
  const words = exitCodeInWords(code)
  return (
    <>
      {code}
      {words !== undefined && <small> {words}</small>}
    </>
  )
}

/** A link to a block by its short id. */
export const BlockLink = ({ block }: { readonly block: Transaction['block_ref'] }) => (
  <a class="mono" href={blockPath(block)}>
    {block.workchain}:{block.shard.toLowerCase()}:{block.seqno}
  </a>
)

/** A link to a trace, which a transaction has once the trace is complete. */
export const TraceLink = ({ id }: { readonly id: string | undefined }) =>
  id === undefined ? <span class="soft">not complete</span> : <Hash hash={id} path={tracePath} />
