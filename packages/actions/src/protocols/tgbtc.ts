// tgBTC: Bitcoin teleported to TON. If only a log was recognised, the action has the suffix `_fallback`.
import { JETTON, TGBTC, TGBTC_BODIES } from '@shardwalk/contracts'
import { bareHex, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import {
  anyBlock,
  as,
  built,
  call,
  either,
  log,
  maybe,
  over,
  overList,
  type Pattern,
  ton,
  under,
} from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import { burnOf, mintOf } from './jettons.ts'

const pegout: Pattern = maybe(overList(call(TGBTC.deployPegout), maybe(call(TGBTC.pegoutAnswer)), maybe(ton)))

/** A Bitcoin id is written with its bytes reversed. */
function readMintLog(block: Block) {
  const { amount, recipient_address, bitcoin_txid } = fieldsOf(block, TGBTC_BODIES.mintEvent)
  return { amount, recipient: recipient_address, txid: bitcoin_txid.reverse().toString('hex') }
}

function readBurnLog(block: Block) {
  const { amount, sender_address, pegout_address } = fieldsOf(block, TGBTC_BODIES.burnEvent)
  return { amount, sender: sender_address, pegout: pegout_address }
}

function readNewKeyLog(block: Block) {
  const { amount, new_internal_pubkey, pegout_address } = fieldsOf(block, TGBTC_BODIES.newKeyEvent)
  return { amount, key: bareHex(new_internal_pubkey), pegout: pegout_address }
}

function readDkgLog(block: Block) {
  const { timestamp, internal_pubkey } = fieldsOf(block, TGBTC_BODIES.dkgCompletedEvent)
  return { timestamp, key: bareHex(internal_pubkey) }
}

/** Bitcoin confirmations arrive block by block; how far above the mint the start of the operation may be. */
const MAX_CLIMB = 20

function climb(start: Block): Block[] | undefined {
  const way: Block[] = []
  for (let block = start.previous; block?.previous && way.length < MAX_CLIMB; block = block.previous) {
    way.push(block)
    if (block.opcode === TGBTC.teleport) return way
  }
  return undefined
}

const mint: Matcher = {
  name: 'tgbtc_mint',
  anchors: [TGBTC.mintOrder],
  pattern: overList(call(TGBTC.mintOrder), as('log', log(TGBTC.mintEvent)), as('mint', built('jetton_mint'))),
  build({ anchor, captures }) {
    const way = need(climb(anchor), 'teleport order')
    const logged = need(captures.find('log'), 'log')
    const { amount, recipient, txid } = readMintLog(logged)
    const minted = mintOf(need(captures.find('mint'), 'mint'))
    const columns = (): Columns => ({
      source: way.at(-1)!.source,
      source_secondary: logged.source,
      destination: recipient,
      destination_secondary: minted.receiverWallet,
      amount,
      asset: minted.asset,
      asset_secondary: txid,
    })
    return { type: 'tgbtc_mint', also: way, columns }
  },
}

const burn: Matcher = {
  name: 'tgbtc_burn',
  anchors: ['jetton_burn'],
  pattern: over(
    built('jetton_burn'),
    overList(call(JETTON.burnNotification, TGBTC.burnToTeleport), as('log', log(TGBTC.burnEvent)), pegout),
  ),
  build({ anchor, captures }) {
    const burnt = burnOf(anchor)
    const { amount, pegout } = readBurnLog(need(captures.find('log'), 'log'))
    const columns = (): Columns => ({
      source: burnt.owner,
      source_secondary: burnt.wallet,
      destination: pegout,
      asset: burnt.asset,
      amount: burnt.amount > 0n && burnt.amount < amount ? burnt.amount : amount,
    })
    return { type: 'tgbtc_burn', columns }
  },
}

const newKey: Matcher = {
  name: 'tgbtc_new_key',
  anchors: [TGBTC.newKey],
  pattern: under(
    overList(call(TGBTC.newKey), as('log', log(TGBTC.newKeyEvent)), pegout),
    over(anyBlock, as('dkg', log(TGBTC.dkgCompletedEvent))),
  ),
  build({ captures }) {
    const dkg = need(captures.find('dkg'), 'DKG log')
    const logged = need(captures.find('log'), 'log')
    const { amount, key, pegout } = readNewKeyLog(logged)
    const { timestamp } = readDkgLog(dkg)
    const columns = (): Columns => ({
      source: dkg.source,
      source_secondary: key,
      destination: logged.source,
      destination_secondary: pegout,
      amount,
      value: timestamp,
    })
    return { type: 'tgbtc_new_key', columns }
  },
}

const loneLog = (name: string, opcode: number, type: string, read: (block: Block) => Columns): Matcher => ({
  name,
  anchors: [opcode],
  pattern: either(log(opcode)),
  build({ anchor }) {
    const columns = read(anchor)
    return { type, action: name, columns: () => columns }
  },
})

const mintLog = loneLog('tgbtc_mint_fallback', TGBTC.mintEvent, 'tgbtc_mint', (block) => {
  const { amount, recipient, txid } = readMintLog(block)
  return {
    source: block.source,
    source_secondary: block.source,
    destination: recipient,
    amount,
    asset_secondary: txid,
  }
})

const burnLog = loneLog('tgbtc_burn_fallback', TGBTC.burnEvent, 'tgbtc_burn', (block) => {
  const { amount, sender, pegout } = readBurnLog(block)
  return { source: sender, destination: pegout, amount }
})

const newKeyLog = loneLog('tgbtc_new_key_fallback', TGBTC.newKeyEvent, 'tgbtc_new_key', (block) => {
  const { amount, key, pegout } = readNewKeyLog(block)
  return { source_secondary: key, destination: block.source, destination_secondary: pegout, amount }
})

const dkgLog = loneLog('tgbtc_dkg_log_fallback', TGBTC.dkgCompletedEvent, 'tgbtc_dkg_log', (block) => {
  const { timestamp, key } = readDkgLog(block)
  return { source: block.source, asset: key, value: timestamp }
})

/** Single logs come last: those that nothing else has taken are left for them. */
export const tgbtc: readonly Matcher[] = [mint, burn, newKey, mintLog, burnLog, newKeyLog, dkgLog]
