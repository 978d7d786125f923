import { type Cell, forEachLeaf, lookup, type Slice, serializeBoc } from '@shardwalk/cells'
import { MASTERCHAIN, shardContains } from '@shardwalk/model'
import type { LiteArguments, LiteResults } from '@shardwalk/tl'
import { checkBlockId, INVALID_WORKCHAIN, type ReplayChain } from '../chain.ts'
import { readState, stateRootProof } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest } from '../refusal.ts'
import type { ChainBlock } from '../shard-index.ts'
import { envelopeMetadata } from './metadata.ts'

/** The value a node reports by default. */
const EXT_MSG_QUEUE_SIZE_LIMIT = 8000
/** Limits per answer. Source: node, liteserver.cpp. */
const MAX_ACCOUNTS = 64
const MAX_MESSAGES = 64
const MAX_MESSAGES_WITH_BOCS = 16

/**
 * Messages in the output queue of each shard at the head, or of the shards that overlap the given one.
 * Source: lite_api.tl, `liteServer.getOutMsgQueueSizes`.
 */
export async function getOutMsgQueueSizes(
  chain: ReplayChain,
  { wc, shard }: LiteArguments['liteServer.getOutMsgQueueSizes'],
): Promise<LiteResults['liteServer.getOutMsgQueueSizes']> {
  const { head } = chain
  const ids = [head.id, ...chain.shardTops(head.id.seqno)].filter(
    (id) => wc === undefined || (id.workchain === wc && overlaps(id.shard, shard!)),
  )
  const shards = []
  for (const id of ids) {
    const { queueSize } = readQueue(new ProofReader(await chain.state(id)))
    shards.push({ id, size: Number(queueSize ?? 0n) })
  }
  return { shards, extMsgQueueSizeLimit: EXT_MSG_QUEUE_SIZE_LIMIT }
}

const overlaps = (a: bigint, b: bigint): boolean => shardContains(a, b) || shardContains(b, a)

/**
 * The same for one block, with a proof if it is asked for. Source: lite_api.tl,
 * `liteServer.getBlockOutMsgQueueSize`.
 */
export async function getBlockOutMsgQueueSize(
  chain: ReplayChain,
  { id, mode, wantProof }: LiteArguments['liteServer.getBlockOutMsgQueueSize'],
): Promise<LiteResults['liteServer.getBlockOutMsgQueueSize']> {
  const { block, reader } = await openState(chain, id)
  const { queueSize } = readQueue(reader)
  if (queueSize === undefined) throw badRequest('no out_msg_queue_size in queue extra')
  return { mode, id: block.id, size: queueSize, ...(wantProof && (await proofField(chain, block, reader))) }
}

/**
 * Accounts with messages in the dispatch queue of a block, at most 64. Source: lite_api.tl,
 * `liteServer.getDispatchQueueInfo`.
 */
export async function getDispatchQueueInfo(
  chain: ReplayChain,
  { id, mode, afterAddr, maxAccounts, wantProof }: LiteArguments['liteServer.getDispatchQueueInfo'],
): Promise<LiteResults['liteServer.getDispatchQueueInfo']> {
  if (maxAccounts <= 0) throw badRequest('invalid max_accounts')
  const { block, reader } = await openState(chain, id)
  const { dispatch } = readQueue(reader)
  const keys = accountsAfter(dispatch, afterAddr)
  const page = keys.slice(0, Math.min(maxAccounts, MAX_ACCOUNTS))
  const accountDispatchQueues = page.map((addr) => accountQueue(reader, dispatch!, addr))
  const complete = page.length === keys.length
  return {
    mode,
    id: block.id,
    accountDispatchQueues,
    complete,
    ...(wantProof && (await proofField(chain, block, reader))),
  }
}

/**
 * Messages in the dispatch queue in order of account and lt, at most 64, or 16 with their bytes. Source:
 * lite_api.tl, `liteServer.getDispatchQueueMessages`.
 */
export async function getDispatchQueueMessages(
  chain: ReplayChain,
  args: LiteArguments['liteServer.getDispatchQueueMessages'],
): Promise<LiteResults['liteServer.getDispatchQueueMessages']> {
  const { id, mode, addr, afterLt, maxMessages, wantProof, oneAccount, messagesBoc } = args
  if (maxMessages <= 0) throw badRequest('invalid max_messages')
  const { block, reader } = await openState(chain, id)
  const { dispatch } = readQueue(reader)
  const all = dispatch ? messagesFrom(dispatch, addr, afterLt, oneAccount === true) : []
  const page = all.slice(0, Math.min(maxMessages, messagesBoc ? MAX_MESSAGES_WITH_BOCS : MAX_MESSAGES))
  for (const message of page) openMessage(reader, dispatch!, message)
  const boc = messagesBoc && { messagesBoc: serializeBoc(page.map(({ cell }) => cell)) }
  return {
    mode,
    id: block.id,
    messages: page.map(({ cell, metadata, ...rest }) => ({ ...rest, hash: cell.hash(), metadata })),
    complete: page.length === all.length,
    ...(wantProof && (await proofField(chain, block, reader))),
    ...boc,
  }
}

async function openState(chain: ReplayChain, id: ChainBlock['id']) {
  checkBlockId(id)
  const block = id.workchain === MASTERCHAIN ? chain.reference(id) : chain.loadable(id)
  return { block, reader: new ProofReader(await chain.state(block.id)) }
}

async function proofField(chain: ReplayChain, block: ChainBlock, reader: ProofReader) {
  return { proof: serializeBoc([stateRootProof(await chain.tree(block)), reader.proof()]) }
}

interface Queue {
  readonly queueSize: bigint | undefined
  /** Root of the dispatch queue, keyed by account. */
  readonly dispatch: Cell | undefined
}

/**
 * Source: block.tlb `_ out_queue:OutMsgQueue proc_info:ProcessedInfo extra:(Maybe OutMsgQueueExtra) =
 * OutMsgQueueInfo`, `out_msg_queue_extra#0 dispatch_queue:DispatchQueue out_queue_size:(Maybe uint48)`.
 */
function readQueue(reader: ProofReader): Queue {
  const info = reader.open(readState(reader).queue)
  info.loadMaybeRefCell()
  info.skip(64)
  info.loadMaybeRefCell()
  if (!info.loadBit()) return { queueSize: undefined, dispatch: undefined }
  info.skip(4)
  const dispatch = info.loadMaybeRefCell()
  info.skip(64)
  return { dispatch, queueSize: info.loadBit() ? info.loadUintBig(48) : undefined }
}

function accountsAfter(dispatch: Cell | undefined, after: Buffer | undefined): Buffer[] {
  const keys: Buffer[] = []
  forEachLeaf(dispatch?.slice(), 256, (_, key) => {
    keys.push(key.toBuffer())
  })
  return after ? keys.filter((key) => key.compare(after) > 0) : keys
}

/**
 * `_ messages:(HashmapE 64 EnqueuedMsg) count:uint48 = AccountDispatchQueue`, preceded by the extra (least
 * lt).
 */
function accountMessages(leaf: Slice): { readonly messages: Cell | undefined; readonly size: bigint } {
  leaf.skip(64)
  const messages = leaf.loadMaybeRefCell()
  return { messages, size: leaf.loadUintBig(48) }
}

function accountQueue(reader: ProofReader, dispatch: Cell, addr: Buffer) {
  const { messages, size } = accountMessages(lookup(reader.open(dispatch), 256, addr)!)
  const lts = messageLts(messages)
  const [minLt, maxLt] = [lts[0]!, lts.at(-1)!]
  for (const lt of [minLt, maxLt]) lookup(reader.open(messages!), 64, lt)
  return { addr, size, minLt, maxLt }
}

function messageLts(messages: Cell | undefined): bigint[] {
  const lts: bigint[] = []
  forEachLeaf(messages?.slice(), 64, (_, key) => {
    lts.push(key.toBigInt())
  })
  return lts
}

interface Deferred {
  readonly addr: Buffer
  readonly lt: bigint
  readonly cell: Cell
  readonly metadata: {
    mode: number
    depth: number
    initiator: { workchain: number; id: Buffer }
    initiatorLt: bigint
  }
}

/**
 * Messages of `addr` after `afterLt`, then, unless limited to one account, those of the following accounts.
 */
function messagesFrom(dispatch: Cell, addr: Buffer, afterLt: bigint, oneAccount: boolean): Deferred[] {
  const found: Deferred[] = []
  forEachLeaf(dispatch.slice(), 256, (leaf, key) => {
    const account = key.toBuffer()
    const order = account.compare(addr)
    if (order < 0 || (order > 0 && oneAccount)) return
    forEachLeaf(accountMessages(leaf).messages?.slice(), 64, (message, lt) => {
      if (order > 0 || lt.toBigInt() > afterLt) found.push(loadDeferred(account, lt.toBigInt(), message))
    })
  })
  return found
}

const NO_METADATA = {
  mode: 0,
  depth: 0,
  initiator: { workchain: INVALID_WORKCHAIN, id: Buffer.alloc(32) },
  initiatorLt: 0n,
}

/** Source: block.tlb `_ enqueued_lt:uint64 out_msg:^MsgEnvelope = EnqueuedMsg`. */
function loadDeferred(addr: Buffer, lt: bigint, message: Slice): Deferred {
  const envelope = message.skip(64).loadRefCell()
  return { addr, lt, cell: envelope.refs[0]!, metadata: envelopeMetadata(envelope.slice()) ?? NO_METADATA }
}

function openMessage(reader: ProofReader, dispatch: Cell, { addr, lt }: Deferred): void {
  const { messages } = accountMessages(lookup(reader.open(dispatch), 256, addr)!)
  const message = lookup(reader.open(messages!), 64, lt)!
  reader.visit(message.skip(64).loadRefCell())
}
