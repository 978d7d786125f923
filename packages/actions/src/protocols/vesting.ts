// Vesting wallets: money sent under their rules, and the whitelist.

import { type Cell, sliceToCell } from '@shardwalk/cells'
import { loadInternalHead, loadRelaxedMessage, VESTING, VESTING_BODIES } from '@shardwalk/contracts'
import { attempt, cellToPlainBoc, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import type { Matcher } from '../core/matcher.ts'
import { call, over } from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'

const sendMessage: Matcher = {
  name: 'vesting_send_message',
  anchors: [VESTING.send],
  pattern: over(call(VESTING.send), call(VESTING.sendAnswer)),
  build({ anchor }) {
    const { query_id, message } = fieldsOf(anchor, VESTING_BODIES.send)
    const inner = loadInternalHead(message.slice())
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      destination_secondary: inner.destination,
      amount: inner.value,
      vesting_send_message_data: { query_id, message_boc: cellToPlainBoc(message) },
    })
    const sent = wasSent(anchor, inner.destination, message)
    return { type: 'vesting_send_message', failed: !sent, columns }
  },
}

/**
 * The wallet answers even if the message could not be sent, for example for lack of money, because it sends
 * with the mode that ignores errors. Value and fees of what was sent may differ from those asked for.
 */
function wasSent({ node }: Block, destination: Address | null, message: Cell): boolean {
  const asked = attempt(() => loadRelaxedMessage(message.slice()).body.hash())
  const bodies = new Map(
    node.children.map((child) => [child.message.hash, attempt(() => sliceToCell(child.body()).hash())]),
  )
  return node.transaction.outMessages.some((sent) => {
    if (sent.destination !== destination) return false
    // Without its receiver's transaction, the body of a message is not known.
    const body = bodies.get(sent.hash)
    return !asked || !body || body.equals(asked)
  })
}

const addWhitelist: Matcher = {
  name: 'vesting_add_whitelist',
  anchors: [VESTING.addWhitelist],
  pattern: over(call(VESTING.addWhitelist), call(VESTING.addWhitelistAnswer)),
  build({ anchor }) {
    const { query_id, addresses_ref_snake } = fieldsOf(anchor, VESTING_BODIES.addWhitelist)
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      vesting_add_whitelist_data: { query_id, accounts_added: addresses_ref_snake },
    })
    return { type: 'vesting_add_whitelist', columns }
  },
}

export const vesting: readonly Matcher[] = [sendMessage, addWhitelist]
