import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { transactionPath } from '../frame/paths.ts'
import { formatCount } from '../text/numbers.ts'
import { Address, Copy, Fact, Hash, HashFact, Json, Time, Ton, TonFact } from './parts.tsx'
import type { Message, Names, Transaction } from './replies.ts'
import {
  BlockLink,
  commentIn,
  ExitCode,
  kindOf,
  MessageComment,
  Opcode,
  Outcome,
  TraceLink,
} from './transactions.tsx'

/** A transaction with its neighbours in the trace. */
export interface TransactionView {
  readonly transaction: Transaction
  /** The one that sent its in message, and those that received its out messages. */
  readonly parent?: Transaction | undefined
  readonly children: readonly Transaction[]
  readonly names: Names
}

/** Out messages that are shown. */
const MAX_MESSAGES = 60

/** Phases, messages and state of a transaction. */
export function TransactionPage({ frame, view }: { readonly frame: Frame; readonly view: TransactionView }) {
  const { transaction, names } = view
  const sent = transaction.out_msgs
  return (
    <Layout frame={frame} title="Transaction">
      <h1>
        Transaction <small class="mono">{shortHex(transaction.hash)}</small>
      </h1>
      <Summary view={view} />
      <section>
        <h2>Received</h2>
        {transaction.in_msg ? (
          <MessageCard message={transaction.in_msg} names={names} other={view.parent} word="sent by" />
        ) : (
          <p class="soft">No message: the system ran the contract.</p>
        )}
      </section>
      <section>
        <h2>
          Sent <small>{formatCount(sent.length)}</small>
        </h2>
        <div class="cards">
          {sent.slice(0, MAX_MESSAGES).map((message) => (
            <MessageCard
              key={message.hash}
              message={message}
              names={names}
              other={view.children.find(({ in_msg: received }) => received?.hash === message.hash)}
              word="received by"
            />
          ))}
          {sent.length > MAX_MESSAGES && (
            <p class="soft">{formatCount(sent.length - MAX_MESSAGES)} more; all are in the JSON.</p>
          )}
        </div>
      </section>
      <Phases transaction={transaction} />
    </Layout>
  )
}

const shortHex = (hash: string): string => Buffer.from(hash, 'base64').toString('hex').slice(0, 16)

function Summary({ view: { transaction: t, names } }: { readonly view: TransactionView }) {
  const hex = Buffer.from(t.hash, 'base64').toString('hex')
  const previous = t.prev_trans_lt === '0' ? null : t.prev_trans_hash
  return (
    <section class="card">
      <dl class="facts">
        <Fact label="Hash">
          <Hash hash={t.hash} whole /> <Copy text={hex} label="Copy the hash" />
        </Fact>
        <Fact label="Account">
          <Address raw={t.account} names={names} />
        </Fact>
        <Fact label="Result">
          <Outcome transaction={t} />
        </Fact>
        <Fact label="Time">
          <Time unix={t.now} /> <small>UTC, lt {t.lt}</small>
        </Fact>
        <Fact label="Status of the account">
          {t.orig_status === t.end_status ? t.end_status : `${t.orig_status} → ${t.end_status}`}
        </Fact>
        <Fact label="Balance">
          <BalanceChange transaction={t} />
        </Fact>
        <TonFact label="Fees" nano={t.total_fees} />
        <Fact label="Trace">
          <TraceLink id={t.trace_id} />
        </Fact>
        <Fact label="Block">
          <BlockLink block={t.block_ref} /> <small>committed by {formatCount(t.mc_block_seqno)}</small>
        </Fact>
        <HashFact label="Previous of the account" hash={previous} path={transactionPath} />
        <Fact label="As JSON">
          <a href={`/api/v3/transactions?hash=${hex}`}>/api/v3/transactions</a>
        </Fact>
      </dl>
    </section>
  )
}

function BalanceChange({ transaction: t }: { readonly transaction: Transaction }) {
  const before = t.account_state_before.balance
  const after = t.account_state_after.balance
  if (before === null || after === null)
    return <span class="soft">known after the last transaction of a block only</span>
  const change = String(BigInt(after) - BigInt(before))
  return (
    <>
      <Ton nano={before} /> → <Ton nano={after} />
      <small>
        {' '}
        ({change.startsWith('-') ? '' : '+'}
        <Ton nano={change} />)
      </small>
    </>
  )
}

interface MessageProps {
  readonly message: Message
  readonly names: Names
  /** The transaction at the other end. */
  readonly other?: Transaction | undefined
  readonly word: string
}

function MessageCard({ message, names, other, word }: MessageProps) {
  const decoded = message.message_content?.decoded
  return (
    <div class="card">
      <h3>
        {kindOf(message)}
        {message.bounced && <span class="label failed">bounced</span>}
        {message.init_state && <span class="label">with state init</span>}
      </h3>
      <dl class="facts">
        <Fact label="From">
          <Address raw={message.source} names={names} />
        </Fact>
        <Fact label="To">
          <Address raw={message.destination} names={names} />
        </Fact>
        <TonFact label="Value" nano={message.value} />
        <Fact label="Opcode">
          <Opcode message={message} />
        </Fact>
        {commentIn(message) !== undefined && (
          <Fact label="Comment">
            <MessageComment message={message} />
          </Fact>
        )}
        <TonFact label="Forward fee" nano={message.fwd_fee} />
        <HashFact label="Hash" hash={message.hash} />
        {other && (
          <Fact label="Transaction">
            {word} <Hash hash={other.hash} path={transactionPath} />
          </Fact>
        )}
      </dl>
      {decoded && <Json value={decoded} />}
    </div>
  )
}

/** Messages from outside run on credit before the contract accepts them. */
const gasOf = (compute: { readonly gas_limit: string; readonly gas_credit?: string | undefined }): string =>
  compute.gas_limit === '0' ? (compute.gas_credit ?? '0') : compute.gas_limit

const KINDS: Readonly<Record<string, string>> = { ord: 'ordinary', tick_tock: 'tick-tock' }

function ComputePhase({ phase }: { readonly phase: NonNullable<Transaction['description']['compute_ph']> }) {
  if (phase.skipped) return <>skipped: {phase.reason.replace('_', ' ')}</>
  return (
    <>
      exit code <ExitCode code={phase.exit_code} />, {formatCount(phase.gas_used)} of{' '}
      {formatCount(gasOf(phase))} gas, {formatCount(phase.vm_steps)} steps, <Ton nano={phase.gas_fees} />
    </>
  )
}

function Phases({ transaction }: { readonly transaction: Transaction }) {
  const {
    storage_ph: storage,
    credit_ph: credit,
    compute_ph: compute,
    action,
    bounce,
  } = transaction.description
  return (
    <section class="card">
      <h2>
        Phases <small>{KINDS[transaction.description.type] ?? transaction.description.type}</small>
      </h2>
      <dl class="facts">
        {storage && (
          <Fact label="Storage">
            <Ton nano={storage.storage_fees_collected} /> collected
            {storage.status_change !== 'unchanged' && `, account ${storage.status_change}`}
          </Fact>
        )}
        {credit && <TonFact label="Credit" nano={credit.credit} />}
        {compute && (
          <Fact label="Compute">
            <ComputePhase phase={compute} />
          </Fact>
        )}
        {action && (
          <Fact label="Action">
            result code <ExitCode code={action.result_code} />, {formatCount(action.tot_actions)}
            {' actions, '}
            {formatCount(action.msgs_created)} messages
            {action.skipped_actions > 0 && `, ${formatCount(action.skipped_actions)} skipped`}
          </Fact>
        )}
        {bounce && <Fact label="Bounce">{bounce.type}</Fact>}
      </dl>
    </section>
  )
}
