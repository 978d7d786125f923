// Telegram wallets: a change of the key that the wallet obeys.

import { readTelegramKeyChange, readTelegramKeyChanged, TELEGRAM_WALLET } from '@shardwalk/contracts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, call, log, maybe, overList } from '../core/pattern.ts'
import type { Columns } from '../row.ts'

const { changeKeyExternal, changeKeyInternal, keyChanged, rotation } = TELEGRAM_WALLET

/**
 * The wallet refuses an external request that it does not obey, and ignores an internal one: that one counts
 * only with the log that follows a change.
 */
export const walletKey: Matcher = {
  name: 'change_wallet_key',
  anchors: [changeKeyExternal, changeKeyInternal],
  pattern: overList(call(changeKeyExternal, changeKeyInternal), maybe(as('log', log(keyChanged, rotation)))),
  build({ anchor, captures }) {
    const isExternal = anchor.source === null
    if (anchor.node.failed || isExternal !== (anchor.opcode === changeKeyExternal)) return undefined
    const change = need(readTelegramKeyChange(anchor.node.body()), 'change')
    const reported = captures.find('log')
    const former = reported
      ? need(readTelegramKeyChanged(reported.node.body()), 'log')
      : isExternal
        ? change.encryptedOldPrivateKey
        : need(undefined, 'log')
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      value: anchor.node.message.value,
      change_wallet_key_data: {
        new_public_key: change.newPublicKey.toString('hex'),
        rotation_signature: change.rotationSignature.toString('hex'),
        encrypted_old_private_key: former?.toString('hex') ?? null,
      },
    })
    return { type: 'change_wallet_key', columns }
  },
}
