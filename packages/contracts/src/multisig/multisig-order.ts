import { type Cell, forEachLeaf, type Slice } from '@shardwalk/cells'
import { DecodeError, formatRawAddress, type RawAddress } from '@shardwalk/model'
import { loadRelaxedMessage } from '../bodies/relaxed-message.ts'
import { readAddressDict } from '../detect/stack-values.ts'
import { MULTISIG } from '../opcodes/wallets.ts'
import { type OrderBody, readOrderBody, toBase64 } from './multisig-order-body.ts'

/**
 * An action of a multisig v2 order. `value` in nanotons, 0 for external messages; `body`: base64 of a bag of
 * cells. Unknown actions have `error` instead of a parsed body. Addresses are raw, upper-case hex.
 */
export interface OrderAction {
  readonly destination: string | null
  readonly value: bigint | null
  readonly body: string | null
  readonly error: string | null
  readonly parsedBody: OrderBody['fields'] | null
  readonly parsedBodyType: string
  readonly sendMode: number
}

/**
 * Actions in key order (`Hashmap 8 ^MultisigAction`), each read when it is asked for: a small order may have
 * large ones, because cells are shared. Undefined when the order cannot be read at all. Never throws.
 */
export function parseMultisigOrder(order: Cell): Iterable<OrderAction> | undefined {
  const leaves: Slice[] = []
  try {
    forEachLeaf(order.slice(), 8, (value) => {
      leaves.push(value)
    })
    return readActions(leaves)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function* readActions(leaves: readonly Slice[]): Generator<OrderAction> {
  for (const leaf of leaves) yield readAction(leaf)
}

const unparsed = (reason: string): OrderAction => ({
  destination: null,
  value: null,
  body: null,
  error: `failed to parse order action: ${reason}`,
  parsedBody: null,
  parsedBodyType: 'unknown',
  sendMode: 0,
})

function readAction(value: Slice): OrderAction {
  try {
    const action = value.loadRefSlice()
    const tag = action.loadUint(32)
    if (tag === MULTISIG.actionSendMessage) return sendMessage(action)
    return tag === MULTISIG.actionUpdateParams
      ? updateParams(action)
      : unparsed(`unknown order action type: ${tag}`)
  } catch (error) {
    if (error instanceof DecodeError) return unparsed(error.message)
    throw error
  }
}

function sendMessage(action: Slice): OrderAction {
  const sendMode = action.loadUint(8)
  const { destination, value, body } = loadRelaxedMessage(action.loadRefSlice())
  const parsed = readOrderBody(body)
  return {
    destination: destination.type === 'std' ? formatRawAddress(destination.address) : null,
    value: value ?? 0n,
    body: toBase64(body),
    error: null,
    parsedBody: parsed.fields,
    parsedBodyType: parsed.type,
    sendMode,
  }
}

/**
 * `update_multisig_params#1d0cfbd3 threshold:uint8 signers:^(Hashmap 8 MsgAddressInt) proposers:(HashmapE 8
 * MsgAddressInt)`.
 */
function updateParams(action: Slice): OrderAction {
  const threshold = action.loadUint(8)
  const signers = readAddressDict(action.loadRefCell(), 8)
  const proposersRoot = action.loadMaybeRefCell()
  const proposers = readAddressDict(proposersRoot, 8)
  if (!signers || !proposers) return unparsed('an address is not addr_std')
  const text = (addresses: readonly RawAddress[]): string[] => addresses.map(formatRawAddress)
  return {
    destination: null,
    value: null,
    body: null,
    error: null,
    parsedBody: {
      new_threshold: threshold,
      new_signers: text(signers),
      new_proposers: proposersRoot ? text(proposers) : null,
    },
    parsedBodyType: 'multisig_update_params',
    sendMode: 0,
  }
}
