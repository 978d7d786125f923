import { MESSAGE, TELEGRAM_WALLET, WALLET } from '@shardwalk/contracts'
import type { TraceTransaction } from '../trace.ts'
import { Block, CALL, DEPLOY, GASLESS, link, ROOT, TICK_TOCK, TON } from './block.ts'
import { type Comment, readComment } from './comment.ts'
import type { EventNode } from './node.ts'

const hasExtraCurrencies = (node: EventNode): boolean =>
  node.message.extraCurrencies != null && Object.keys(node.message.extraCurrencies).length > 0

/** Data of a `ton_transfer` block. */
export interface TonTransfer {
  readonly comment: () => Comment | undefined
}

const typeOf = ({ kind, message, opcode }: EventNode): string => {
  if (kind === 'tick_tock') return TICK_TOCK
  const plain = opcode === null || opcode === 0 || opcode === MESSAGE.encryptedComment
  return plain && message.source !== null && message.destination !== null ? TON : CALL
}

/**
 * An aborted call without value counts as successful: it is like a log to a contract that does not support
 * it.
 */
function callFailed(node: EventNode): boolean {
  if (!node.failed) return false
  if (node.kind === 'ghost') return true
  const carries = (node.message.value ?? 0n) !== 0n || hasExtraCurrencies(node)
  return carries || !node.opcode
}

/** Value that stays at the destination has arrived, even if the contract failed. */
function transferFailed(node: EventNode): boolean {
  if (!node.failed) return false
  if (node.kind === 'ghost' || node.message.bounce === true) return true
  return node.transaction.endStatus !== 'uninit' && !lackedGas(node.transaction)
}

/**
 * The compute phase did not run for lack of gas. When only the missing exit code shows that it did not run,
 * the status tells why: an active account has code to run, and one that does not exist afterwards could not
 * pay.
 */
function lackedGas({ skipReason, exitCode, origStatus, endStatus }: TraceTransaction): boolean {
  if (skipReason != null) return skipReason === 'no_gas'
  return exitCode === null && (origStatus === 'active' || endStatus === 'nonexist')
}

/** Builds the tree of single-node blocks under a synthetic root. */
export function buildBasicTree(roots: readonly EventNode[]): Block {
  const root = new Block(ROOT, [], [], [], { columns: () => ({}) })
  const pending = roots.map((node) => ({ node, parent: root }))
  for (let i = 0; i < pending.length; i++) {
    const { node, parent } = pending[i]!
    const block = basicBlock(node)
    link(parent, block)
    const children = [...node.children].sort((a, b) => (a.lt < b.lt ? -1 : a.lt > b.lt ? 1 : 0))
    for (const child of children) pending.push({ node: child, parent: block })
  }
  return root
}

const initiators = ({ parent }: EventNode): EventNode[] => (parent ? [parent] : [])

function basicBlock(node: EventNode): Block {
  const type = typeOf(node)
  const beside = [gaslessBlock(type, node), deployBlock(node)].filter((block) => block !== undefined)
  const block = new Block(type, [node], beside, initiators(node), basicContent(type, node))
  for (const other of beside) other.absorbedBy = block
  return block
}

function basicContent(type: string, node: EventNode) {
  if (type === TICK_TOCK)
    return { failed: node.failed, columns: () => ({ source: node.transaction.account }) }
  if (type === CALL) return { failed: callFailed(node), columns: () => messageColumns(node) }
  const comment = lazy(() => readComment(node))
  const data: TonTransfer = { comment }
  const columns = () => {
    const { opcode: _, ...rest } = messageColumns(node)
    const encrypted = node.message.opcode === MESSAGE.encryptedComment
    return { ...rest, ton_transfer_data: { content: comment()?.text ?? null, encrypted } }
  }
  return { failed: transferFailed(node), data, columns }
}

const messageColumns = ({ message, opcode }: EventNode) => ({
  source: message.source,
  destination: message.destination,
  value: message.value,
  opcode,
  value_extra_currencies: message.extraCurrencies ?? {},
})

/** One per account activated by a message. Unfreezing an account is not a deployment. */
function deployBlock(node: EventNode): Block | undefined {
  if (!node.activatesAccount || node.transaction.origStatus === 'frozen') return undefined
  const { value_extra_currencies: _, ...columns } = messageColumns(node)
  return new Block(DEPLOY, [node], [], initiators(node), { failed: node.failed, columns: () => columns })
}

const { sendOneInternal, sendBulkInternal, changeKeyInternal } = TELEGRAM_WALLET
const GASLESS_REQUESTS: ReadonlySet<number> = new Set([
  WALLET.signedInternalV5,
  sendOneInternal,
  sendBulkInternal,
  changeKeyInternal,
])

/** Unlike a call, it has failed whenever the transaction has. */
function gaslessBlock(type: string, node: EventNode): Block | undefined {
  const { opcode } = node
  const { source, destination, value } = node.message
  const isBetweenAccounts = type === CALL && source !== null && destination !== null
  if (!isBetweenAccounts || opcode === null || !GASLESS_REQUESTS.has(opcode)) return undefined
  const columns = () => ({ source, destination, value })
  return new Block(GASLESS, [node], [], initiators(node), { failed: node.failed, columns })
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
