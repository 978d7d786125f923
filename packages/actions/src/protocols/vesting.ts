// Vesting wallets: money sent under their rules, and the whitelist.

import { loadInternalHead, VESTING, VESTING_BODIES } from '@shardwalk/contracts'
import { cellToPlainBoc, fieldsOf } from '../body.ts'
import type { Matcher } from '../core/matcher.ts'
import { call, over } from '../core/pattern.ts'
import type { Columns } from '../row.ts'

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
    return { type: 'vesting_send_message', columns }
  },
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
