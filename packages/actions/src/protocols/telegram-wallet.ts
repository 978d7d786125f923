// Telegram wallets: a change of the key that the wallet obeys.

import { readTelegramKeyChange, readTelegramKeyChanged, TELEGRAM_WALLET } from '@shardwalk/contracts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, call, log, overList } from '../core/pattern.ts'
import type { Columns } from '../row.ts'

const { changeKeyExternal, changeKeyInternal, keyChanged, rotation } = TELEGRAM_WALLET

/**
 * Counts only with the log that follows a change: the wallet ignores an internal request that it does not
 * obey, and clients that read the history of keys cannot do without the former one, which the log has.
 */
export const walletKey: Matcher = {
  name: 'change_wallet_key',
  anchors: [changeKeyExternal, changeKeyInternal],
  pattern: overList(call(changeKeyExternal, changeKeyInternal), as('log', log(keyChanged, rotation))),
  build({ anchor, captures }) {
    const isExternal = anchor.source === null
    if (anchor.node.failed || isExternal !== (anchor.opcode === changeKeyExternal)) return undefined
    const change = need(readTelegramKeyChange(anchor.node.body()), 'change')
    const logged = need(captures.find('log'), 'log')
    const former = need(readTelegramKeyChanged(logged.node.body()), 'log')
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      value: anchor.node.message.value,
      change_wallet_key_data: {
        new_public_key: change.newPublicKey.toString('hex'),
        rotation_signature: change.rotationSignature.toString('hex'),
        encrypted_old_private_key: former.toString('hex'),
      },
    })
    return { type: 'change_wallet_key', columns }
  },
}
