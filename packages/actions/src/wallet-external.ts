import { type RequestedMessage, readRequestedMessages } from '@shardwalk/contracts'
import { extraCurrencyTexts } from '@shardwalk/model'
import { attempt } from './body.ts'
import { EventNode } from './core/node.ts'

/**
 * Ghosts of the internal messages that an external message asked a wallet for, below its node. Empty: the
 * body is not that of a wallet, or nothing internal was asked for.
 */
export function requestedByWallet(external: EventNode): EventNode[] {
  const requested = readRequestedMessages(() => external.body()) ?? []
  return requested.flatMap((message, index) => (message ? [ghost(external, message, index)] : []))
}

/**
 * The name of a message that never existed: base64 of (base64 of the message cell's hash, then the index).
 */
function ghost(
  external: EventNode,
  { cell, destination, value, extraCurrencies, body }: RequestedMessage,
  index: number,
): EventNode {
  const { transaction } = external
  const hash = Buffer.from(cell.hash().toString('base64') + index).toString('base64')
  // A wallet may be asked to send any cell: a library reference is a body without an opcode.
  const opcode = attempt(() => body.slice().preloadUint(32)) ?? null
  const node = new EventNode(
    'ghost',
    {
      hash,
      source: transaction.account,
      destination,
      value,
      extraCurrencies: extraCurrencies ? extraCurrencyTexts(extraCurrencies) : null,
      createdLt: null,
      createdAt: null,
      opcode,
      body: null,
    },
    transaction,
    () => body.slice(),
  )
  node.parent = external
  external.children.push(node)
  return node
}
