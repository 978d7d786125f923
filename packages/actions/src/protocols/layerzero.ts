// LayerZero: messages between chains, sent, received and verified.

import type { Slice } from '@shardwalk/cells'
import {
  LAYERZERO,
  type LayerzeroPacket,
  loadLayerzeroPacket,
  loadLayerzeroSend,
  loadLayerzeroStatus,
} from '@shardwalk/contracts'
import { prefixedHex } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need } from '../core/matcher.ts'
import { as, built, call, maybe, over, overList, type Pattern, ton, under } from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import { isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'

const packetColumns = (packet: LayerzeroPacket) => ({
  src_eid: packet.srcEid,
  src_oapp: prefixedHex(packet.srcOapp),
  dst_eid: packet.dstEid,
  dst_oapp: prefixedHex(packet.dstOapp),
  nonce: packet.nonce,
  guid: prefixedHex(packet.guid),
  message: packet.message,
})

const referenceAt = (block: Block, ...path: readonly number[]): Slice =>
  path.reduce((slice, index) => slice.preloadRefSlice(index), block.node.body())

const event = maybe(call(LAYERZERO.event))
const change = maybe(ton)

/** Columns shared by a send and by the send of tokens around it. */
type SendColumns = Pick<Columns, 'layerzero_send_data' | 'layerzero_packet_data'>

function readSendColumns({ anchor, captures }: Match): SendColumns {
  const send = loadLayerzeroSend(referenceAt(need(captures.find('callback'), 'callback'), 0, 0, 0))
  return {
    layerzero_send_data: {
      send_request_id: send.sendRequestId,
      msglib_manager: prefixedHex(send.msglibManager),
      msglib: prefixedHex(send.msglib),
      native_fee: send.nativeFee,
      zro_fee: send.zroFee,
      uln: need(captures.call(LAYERZERO.ulnSend), 'ULN').destination,
      endpoint: anchor.destination,
      channel: need(captures.call(LAYERZERO.channelSend), 'channel').destination,
    },
    layerzero_packet_data: packetColumns(send.packet),
  }
}

const sendCallback = overList(
  call(LAYERZERO.msglibSendCallback),
  call(LAYERZERO.event),
  ...[change, change, change, change, change],
  as('callback', overList(call(LAYERZERO.channelSendCallback), event, change)),
)

const send: Matcher = {
  name: 'layerzero_send',
  anchors: [LAYERZERO.endpointSend],
  pattern: over(
    call(LAYERZERO.endpointSend),
    over(
      call(LAYERZERO.channelSend),
      over(call(LAYERZERO.msglibSend), over(call(LAYERZERO.ulnSend), sendCallback)),
    ),
  ),
  build(match) {
    const data = readSendColumns(match)
    return { type: 'layerzero_send', data, columns: () => ({ source: match.anchor.source, ...data }) }
  },
}

const sendTokens: Matcher = {
  name: 'layerzero_send_tokens',
  anchors: ['layerzero_send'],
  pattern: under(built('layerzero_send'), as('tokens', over(jettonTransfer(), call(LAYERZERO.event)))),
  build({ anchor, captures }) {
    const block = need(captures.all('tokens').find(isJettonTransfer), 'transfer')
    const transfer = transferOf(block)
    const columns = (): Columns => ({
      source: transfer.sender,
      source_secondary: transfer.senderWallet,
      destination: transfer.receiver,
      destination_secondary: transfer.receiverWallet,
      amount: transfer.amount,
      asset: transfer.asset,
      ...(anchor.data as SendColumns),
    })
    return { type: 'layerzero_send_tokens', columns }
  },
}

const isHashOf = (address: string | null, packet: LayerzeroPacket): boolean =>
  address !== null && BigInt(`0x${address.slice(address.indexOf(':') + 1)}`) === packet.dstOapp

const executed: Pattern = as(
  'executed',
  overList(call(LAYERZERO.receiveExecute), event, overList(call(LAYERZERO.executeCallback), event, change)),
)

const receive: Matcher = {
  name: 'layerzero_receive',
  anchors: [LAYERZERO.receivePrepare],
  pattern: overList(
    call(LAYERZERO.receivePrepare),
    change,
    over(call(LAYERZERO.oappReceivePrepare), over(call(LAYERZERO.receiveLock), executed)),
  ),
  build({ anchor, captures }) {
    const execution = need(captures.find('executed'), 'execution')
    const packet = loadLayerzeroPacket(referenceAt(execution, 0, 0))
    if (!isHashOf(execution.destination, packet)) return undefined
    const columns = (): Columns => ({
      source: anchor.source,
      destination: execution.destination,
      destination_secondary: execution.source,
      layerzero_packet_data: packetColumns(packet),
    })
    return { type: 'layerzero_receive', columns }
  },
}

/** Each contract calls the next one; the labels name the blocks. */
const calls = (steps: readonly (readonly [label: string, opcode: number])[], last: Pattern): Pattern =>
  steps.reduceRight((next, [label, opcode]) => as(label, over(call(opcode), next)), last)

/** The last call answers with a callback. */
const answered = (label: string, opcode: number, callback: number): Pattern =>
  as(label, overList(call(opcode), event, maybe(as('callback', over(call(callback), change)))))

const commitPacket: Matcher = {
  name: 'layerzero_commit_packet',
  anchors: [LAYERZERO.ulnCommit],
  pattern: over(
    call(LAYERZERO.ulnCommit),
    calls(
      [
        ['connection', LAYERZERO.connectionCommit],
        ['endpoint', LAYERZERO.endpointCommit],
      ],
      answered('channel', LAYERZERO.channelCommit, LAYERZERO.commitCallback),
    ),
  ),
  build({ anchor, captures }) {
    const channel = need(captures.find('channel'), 'channel')
    const packet = loadLayerzeroPacket(referenceAt(channel, 0, 0))
    const callback = need(captures.find('callback'), 'callback')
    const connection = need(captures.find('connection'), 'connection').destination
    const columns = (): Columns => ({
      source: anchor.source,
      source_secondary: need(captures.find('endpoint'), 'endpoint').destination,
      // Both columns have the connection, because clients expect the row so. The ULN itself receives the
      // first message.
      destination: connection,
      destination_secondary: connection,
      asset: channel.destination,
      asset_secondary: callback.destination,
      layerzero_packet_data: packetColumns(packet),
    })
    return { type: 'layerzero_commit_packet', columns }
  },
}

const dvnVerify: Matcher = {
  name: 'layerzero_dvn_verify',
  anchors: [LAYERZERO.dvnVerify],
  pattern: over(
    call(LAYERZERO.dvnVerify),
    calls(
      [
        ['proxy', LAYERZERO.proxyCall],
        ['uln', LAYERZERO.ulnVerify],
      ],
      answered('connection', LAYERZERO.connectionVerify, LAYERZERO.verifyCallback),
    ),
  ),
  build({ anchor, captures }) {
    const { nonce, status } = loadLayerzeroStatus(
      referenceAt(need(captures.find('callback'), 'callback'), 0, 0),
    )
    const at = (label: string) => need(captures.find(label), label).destination
    const columns = (): Columns => ({
      source: anchor.source,
      layerzero_dvn_verify_data: {
        nonce,
        status,
        dvn: anchor.destination,
        proxy: at('proxy'),
        uln: at('uln'),
        uln_connection: at('connection'),
      },
    })
    return { type: 'layerzero_dvn_verify', columns }
  },
}

/** `sendTokens`: a `send` caused by a jetton transfer. What arrives is verified, committed, then received. */
export const layerzero: readonly Matcher[] = [send, sendTokens, receive, commitPacket, dvnVerify]
