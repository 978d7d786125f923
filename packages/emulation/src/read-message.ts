import { Builder, type Cell, parseBoc } from '@shardwalk/cells'
import { type DecodedMessage, DecodeError } from '@shardwalk/model'
import { loadMessage, loadStateInit } from '@shardwalk/tlb'
import { EmulationError } from './errors.ts'

/** Nodes reject deeper ones. Source: node, crypto/block/mc-config.h, `SizeLimitsConfig::ExtMsgLimits`. */
const MAX_DEPTH = 512
/** Source: block.tlb `ext_out_msg_info$11`. */
const EXTERNAL_OUT = 0b11
/** No chain gets there, and from there on the executor would count beyond 64 bits. */
const MAX_CREATED_LT = 1n << 63n

/** The message that a trace begins with, as cell and decoded. */
export interface RootMessage {
  readonly cell: Cell
  readonly message: DecodedMessage
}

/**
 * Reads the message that starts the trace: external, or internal as a relayer would send it, possibly without
 * a source. Throws `EmulationError`.
 */
export function readRootMessage(root: Cell): RootMessage {
  if (root.isExotic || root.bits < 4) throw malformed('not a message')
  if (root.depth() >= MAX_DEPTH) throw malformed(`a depth of ${root.depth()}, at most ${MAX_DEPTH - 1}`)
  if (root.slice().preloadUint(2) === EXTERNAL_OUT)
    throw new EmulationError('message_out', 'Ext out message found')
  try {
    const cell = withSource(root)
    const message = loadMessage(cell.slice())
    if (!message.destination) throw malformed('no destination')
    checkContents(message)
    return { cell, message }
  } catch (error) {
    if (error instanceof DecodeError) throw malformed(error.message, error)
    throw error
  }
}

/**
 * Nodes neither make nor take such messages, and some of them end the executor's thread. Throws
 * `EmulationError`, `DecodeError`.
 */
function checkContents({ createdLt = 0n, valueExtraCurrencies, initState, body }: DecodedMessage): void {
  if (createdLt > MAX_CREATED_LT) throw malformed(`created_lt ${createdLt}`)
  const content = parseBoc(body)
  if (content.isExotic(content.root)) throw malformed('the body is an exotic cell')
  for (const [id, amount] of valueExtraCurrencies ?? [])
    if (amount === 0n) throw malformed(`no amount of the extra currency ${id}`)
  if (!initState) return
  const bag = parseBoc(initState)
  const slice = bag.slice(bag.root)
  loadStateInit(slice)
  slice.expectEnd('state_init')
}

/** An internal message with source `addr_none` gets the zero address, as wallets write it. */
function withSource(root: Cell): Cell {
  const slice = root.slice()
  if (slice.loadBit()) return root
  // ihr_disabled, bounce, bounced, then `addr_none$00`
  const flags = slice.loadUint(3)
  if (slice.loadUint(2) !== 0) return root
  return new Builder()
    .storeUint(flags, 4)
    .storeAddress({ workchain: 0, hash: Buffer.alloc(32) })
    .storeSlice(slice)
    .endCell()
}

const malformed = (problem: string, cause?: unknown): EmulationError =>
  new EmulationError('message_malformed', `Can't deserialize message boc: ${problem}`, { cause })
