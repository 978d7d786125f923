// Vesting wallets: money sent under their rules, and the list of who may receive it.

import type { Slice } from '@shardwalk/cells'
import { VESTING } from '@shardwalk/contracts'
import { bodyWithQuery, cellToPlainBoc, loadAddress } from '../body.ts'
import type { Matcher } from '../core/matcher.ts'
import { call, over } from '../core/pattern.ts'
import type { Columns } from '../row.ts'

/** `int_msg_info$0 ihr_disabled bounce bounced src dest value`. */
function readInner(message: Slice) {
  loadAddress(message.skip(4))
  return { destination: loadAddress(message), value: message.loadCoins() }
}

const sendMessage: Matcher = {
  name: 'vesting_send_message',
  anchors: [VESTING.send],
  pattern: over(call(VESTING.send), call(VESTING.sendAnswer)),
  build({ anchor }) {
    const { queryId, body } = bodyWithQuery(anchor)
    const message = body.skip(8).loadRefCell()
    const inner = readInner(message.slice())
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      destination_secondary: inner.destination,
      amount: inner.value,
      vesting_send_message_data: { query_id: queryId, message_boc: cellToPlainBoc(message) },
    })
    return { type: 'vesting_send_message', columns }
  },
}

const addWhitelist: Matcher = {
  name: 'vesting_add_whitelist',
  anchors: [VESTING.addWhitelist],
  pattern: over(call(VESTING.addWhitelist), call(VESTING.addWhitelistAnswer)),
  build({ anchor }) {
    const { queryId, body } = bodyWithQuery(anchor)
    const added = [loadAddress(body)]
    for (let cell = body; cell.remainingRefs > 0; ) {
      cell = cell.loadRefSlice()
      added.push(loadAddress(cell))
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      vesting_add_whitelist_data: { query_id: queryId, accounts_added: added },
    })
    return { type: 'vesting_add_whitelist', columns }
  },
}

export const vesting: readonly Matcher[] = [sendMessage, addWhitelist]
