import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { tracePath, transactionPath } from '../frame/paths.ts'
import { ChainText } from '../text/chain-text.tsx'
import { formatCount, formatDuration } from '../text/numbers.ts'
import { ActionTable } from './actions.tsx'
import { COLOURS } from './letters.ts'
import { Address, Fact, HashFact, Table, Time, Ton } from './parts.tsx'
import type { Action, Message, Names, Trace, Transaction } from './replies.ts'
import { TokenAmount } from './tokens.tsx'
import { anchorOf, pathFrom, TraceFigure } from './trace-figure.tsx'
import { type TraceTree, type TreeNode, type TreeStart, traceTree } from './trace-tree.ts'
import { commentIn, Opcode, Outcome } from './transactions.tsx'

/** What an account gained or lost. */
export interface Flow {
  readonly account: string
  /** Nanotons without fees, and fees. */
  readonly change: string
  readonly fees: string
  readonly jettons: readonly { readonly master: string; readonly amount: string }[]
}

/** A trace with what is shown of it. */
export interface TraceView {
  readonly trace: Trace
  readonly actions: readonly Action[]
  readonly flow: readonly Flow[]
  readonly names: Names
  /** Where the tree begins; default: at the root of the trace. */
  readonly from?: TreeStart | undefined
  /** Rows of the tables that are on earlier pages. */
  readonly skipped?: { readonly actions: number; readonly flow: number } | undefined
}

/** Rows of a table. */
const MAX_ACTIONS = 20
const MAX_FLOWS = 30

/** The figure of a trace, what moved in it, and its actions. */
export function TracePage({ frame, view }: { readonly frame: Frame; readonly view: TraceView }) {
  const { trace, actions, flow, names, from, skipped = { actions: 0, flow: 0 } } = view
  const tree = traceTree(trace, from)
  const isPending = trace.trace_info.trace_state === 'pending'
  return (
    <Layout
      frame={frame}
      title="Trace"
      head={
        isPending && (
          <noscript>
            <meta http-equiv="refresh" content="3" />
          </noscript>
        )
      }
    >
      <h1>
        Trace <small>{trace.trace_info.trace_state}</small>
      </h1>
      <Head view={view} tree={tree} />
      <section id="actions">
        <h2>Actions</h2>
        <ActionTable
          actions={actions.slice(skipped.actions, skipped.actions + MAX_ACTIONS)}
          names={names}
          caption="What people did"
          empty={ACTIONS_MISSING[trace.trace_info.classification_state]}
          hasTraces={false}
        />
        <Rest what="actions" all={actions.length} skipped={skipped.actions} most={MAX_ACTIONS} />
      </section>
      <FlowTable flow={flow} names={names} tree={tree} skipped={skipped.flow} />
      <section>
        <h2>Tree</h2>
        <Tree view={view} tree={tree} />
      </section>
    </Layout>
  )
}

function Tree({ view: { trace, names }, tree }: { readonly view: TraceView; readonly tree: TraceTree }) {
  if (tree.nodes.length === 0)
    return <p class="soft">{trace.warning ?? 'Its transactions are not indexed.'}</p>
  return (
    <>
      <TraceFigure tree={tree} />
      {!tree.isWhole && <Part trace={trace} tree={tree} />}
      <Nodes tree={tree} names={names} />
    </>
  )
}

interface RestProps {
  /** Parameter that says how many rows to skip. */
  readonly what: 'actions' | 'flow'
  readonly all: number
  readonly skipped: number
  readonly most: number
}

/** Says which rows of a long table are shown, and leads to the others. */
function Rest({ what, all, skipped, most }: RestProps) {
  if (all <= most) return null
  const end = Math.min(all, skipped + most)
  return (
    <p class="soft">
      {formatCount(Math.min(all, skipped + 1))} to {formatCount(end)} of {formatCount(all)}{' '}
      {skipped > 0 && <a href={`?${what}=${Math.max(0, skipped - most)}#${what}`}>Previous</a>}{' '}
      {end < all && <a href={`?${what}=${end}#${what}`}>Next</a>}
    </p>
  )
}

/** Says which part of the trace is drawn, and leads back to its root. */
const Part = ({ trace, tree }: { readonly trace: Trace; readonly tree: TraceTree }) => (
  <p class="soft">
    {formatCount(tree.nodes.length)} of {formatCount(trace.trace_info.transactions)} transactions
    {tree.isBranch ? ', from one of them on. ' : ', the nearest to the root. '}
    {tree.isBranch && trace.trace_id && <a href={tracePath(trace.trace_id)}>To the root of the trace</a>}
  </p>
)

const ACTIONS_MISSING = {
  unclassified: 'Not classified yet.',
  failed: 'Classification failed; basic actions are shown where known.',
  ok: 'None: nothing but messages that mean no action.',
  broken: 'A parent of this trace is not indexed.',
} as const

function Head({ view: { trace, names }, tree }: { readonly view: TraceView; readonly tree: TraceTree }) {
  const all = transactionsOf(trace)
  const root = tree.isBranch ? undefined : tree.nodes[0]?.transaction
  const hex = trace.trace_id && Buffer.from(trace.trace_id, 'base64').toString('hex')
  return (
    <section class="card">
      <dl class="facts">
        <HashFact label="Trace id" hash={trace.trace_id} whole />
        {root && (
          <Fact label="Began at">
            <Address raw={root.account} names={names} />
          </Fact>
        )}
        <Fact label="Started">
          <Time unix={trace.start_utime} /> <small>UTC</small>
          {trace.end_utime !== null && (
            <small>, took {formatDuration(Math.max(0, trace.end_utime - trace.start_utime))}</small>
          )}
        </Fact>
        <Fact label="Size">
          <Size trace={trace} />
        </Fact>
        {all && all.length > 0 && (
          <Fact label="Fees">
            <Ton nano={String(all.reduce((sum, { total_fees }) => sum + BigInt(total_fees), 0n))} />
          </Fact>
        )}
        <Fact label="Masterchain blocks">{blocksOf(trace)}</Fact>
        <HashFact label="Hash of the message" hash={trace.external_hash} whole />
        {hex && (
          <Fact label="As JSON">
            <a href={`/api/v3/traces?trace_id=${hex}&include_actions=true`}>/api/v3/traces</a>
          </Fact>
        )}
      </dl>
    </section>
  )
}

const blocksOf = ({ mc_seqno_start: first, mc_seqno_end: last }: Trace): string =>
  first === last ? formatCount(first) : `${formatCount(first)} to ${formatCount(last)}`

/** All transactions of the trace; undefined if it is loaded in part. */
function transactionsOf({ transactions, trace_info: info }: Trace): readonly Transaction[] | undefined {
  const all = Object.values(transactions ?? {})
  return all.length === info.transactions ? all : undefined
}

function Size({ trace }: { readonly trace: Trace }) {
  const { trace_info: info } = trace
  const all = transactionsOf(trace)
  const accounts = new Set(all?.map(({ account }) => account)).size
  const failed = all?.filter(({ description }) => description.aborted).length ?? 0
  return (
    <>
      {formatCount(info.transactions)} transactions, {formatCount(info.messages)} messages
      {all && `, ${formatCount(accounts)} accounts, ${formatCount(failed)} aborted`}
      {info.pending_messages > 0 && `, ${formatCount(info.pending_messages)} messages not processed yet`}
    </>
  )
}

type FlowProps = Pick<TraceView, 'flow' | 'names'> & { readonly tree: TraceTree; readonly skipped: number }

function FlowTable({ flow, names, tree, skipped }: FlowProps) {
  return (
    <section id="flow">
      <h2>Value flow</h2>
      <Table
        caption="What each account gained or lost"
        columns={[
          {
            name: 'Account',
            cell: ({ account }) => (
              <>
                <Letter index={tree.accounts.indexOf(account)} nodes={tree.nodes} />{' '}
                <Address raw={account} names={names} />
              </>
            ),
          },
          { name: 'TON', cell: ({ change }) => <Signed nano={change} />, isNumber: true },
          { name: 'Fees', cell: ({ fees }) => <Ton nano={fees} />, isNumber: true },
          {
            name: 'Jettons',
            cell: ({ jettons }) =>
              jettons.map(({ master, amount }) => (
                <div key={master}>
                  <TokenAmount amount={amount} asset={master} names={names} />
                </div>
              )),
          },
        ]}
        rows={flow.slice(skipped, skipped + MAX_FLOWS)}
        keyOf={({ account }) => account}
        empty="Not known before the trace is complete."
      />
      <Rest what="flow" all={flow.length} skipped={skipped} most={MAX_FLOWS} />
    </section>
  )
}

const Signed = ({ nano }: { readonly nano: string }) => (
  <span class={nano.startsWith('-') ? 'bad' : nano === '0' ? 'soft' : 'good'}>
    {nano.startsWith('-') || nano === '0' ? '' : '+'}
    <Ton nano={nano} />
  </span>
)

function Letter({ index, nodes }: { readonly index: number; readonly nodes: readonly TreeNode[] }) {
  if (index < 0) return null
  const letter = nodes.find(({ account }) => account === index)?.letter
  return letter === undefined ? null : <span class={`badge account-${index % COLOURS}`}>{letter}</span>
}

function BriefComment({ message }: { readonly message: Message }) {
  const text = commentIn(message)
  return text === undefined ? null : <ChainText text={text} kind="line" />
}

/** Indents deeper ones no further. */
const MAX_INDENT = 12

/** The tree as a list, in the order of processing down each branch. */
const Nodes = ({ tree, names }: { readonly tree: TraceTree; readonly names: Names }) => (
  <ol class="nodes" aria-label="Transactions of the trace">
    {tree.nodes.map((node) => (
      <Item key={node.transaction.hash} node={node} names={names} />
    ))}
  </ol>
)

function Item({ node, names }: { readonly node: TreeNode; readonly names: Names }) {
  const { transaction, letter, account, depth } = node
  return (
    <li id={anchorOf(transaction.hash)} class={`indent-${Math.min(depth, MAX_INDENT)}`}>
      <span class={`badge account-${account % COLOURS}`}>{letter}</span>{' '}
      <Address raw={transaction.account} names={names} /> <Outcome transaction={transaction} />
      {transaction.in_msg && (
        <>
          {' '}
          {transaction.in_msg.value !== null && <Ton nano={transaction.in_msg.value} />}{' '}
          <Opcode message={transaction.in_msg} /> <BriefComment message={transaction.in_msg} />
        </>
      )}{' '}
      <a class="mono" href={transactionPath(transaction.hash)}>
        transaction
      </a>
      {node.hidden > 0 && (
        <>
          {' '}
          <a href={pathFrom(node)}>{formatCount(node.hidden)} more below it</a>
        </>
      )}
    </li>
  )
}
