// LayerZero: messages between chains, sent, received and verified.

import type { Slice } from '@shardwalk/cells'
import { LAYERZERO } from '@shardwalk/contracts'
import { prefixedHex } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import { as, built, call, maybe, over, overList, type Pattern, ton, under } from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import { isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'

/** Every typed cell starts with 350 bits that describe its layout: a name and field types, then ones. */
const HEADER_BITS = 350

const LZ_SEND_NAME = BigInt(`0x${Buffer.from('lzSend').toString('hex')}`)
const LZ_SEND_HEADER = 582890735024998957421269964955452773563747974476099581n
const PACKET_HEADER = 417359019239977417716476838698419835n
const PATH_HEADER = 8903714975572488637007080065659n
const STATUS_HEADER = 38421788582694199859296615363593851n

function expectHeader(slice: Slice, bits: number, header: bigint, rest = HEADER_BITS): Slice {
  if (slice.loadUintBig(bits) !== header) throw new Unfit('not the typed cell')
  return slice.skip(rest - bits)
}

/**
 * `send_request_id:64 msglib_manager:256 msglib:256 ^packet ^extra_options ^[connection:256 native_fee:128
 * zro_fee:128 ^ ^]`.
 */
function readSend(slice: Slice) {
  if (slice.loadUintBig(80) !== LZ_SEND_NAME) throw new Unfit('not lzSend')
  expectHeader(slice, 180, LZ_SEND_HEADER, HEADER_BITS - 80)
  const send = {
    send_request_id: slice.loadUintBig(64),
    msglib_manager: prefixedHex(slice.loadUintBig(256)),
    msglib: prefixedHex(slice.loadUintBig(256)),
  }
  const packet = readPacket(slice.loadRefSlice())
  const fees = slice.skipRefs(1).loadRefSlice().skip(256)
  return { ...send, packet, native_fee: fees.loadUintBig(128), zro_fee: fees.loadUintBig(128) }
}

/** `^path ^message nonce:64 guid:256`; the message is the bits of its first cell. */
function readPacket(slice: Slice) {
  expectHeader(slice, 152, PACKET_HEADER)
  const path = expectHeader(slice.loadRefSlice(), 152, PATH_HEADER)
  const ends = {
    src_eid: path.loadUint(32),
    src_oapp: prefixedHex(path.loadUintBig(256)),
    dst_eid: path.loadUint(32),
    dst_oapp: prefixedHex(path.loadUintBig(256)),
  }
  const message = slice.loadRefSlice()
  const nonce = slice.loadUintBig(64)
  const guid = prefixedHex(slice.loadUintBig(256))
  return { ...ends, nonce, guid, message: hexOf(message) }
}

/** Hex digits of whole bytes; a last half byte keeps its one digit. */
function hexOf(slice: Slice): string {
  const { bits, bytes } = slice.loadBits(slice.remainingBits)
  return `0x${bytes.toString('hex').slice(0, Math.ceil(bits / 4))}`
}

type Packet = ReturnType<typeof readPacket>

const referenceAt = (block: Block, ...path: readonly number[]): Slice =>
  path.reduce((slice, index) => slice.preloadRefSlice(index), block.node.body())

const event = maybe(call(LAYERZERO.event))
const change = maybe(ton)

/** Columns shared by a send and by the send of tokens around it. */
type SendColumns = Pick<Columns, 'layerzero_send_data' | 'layerzero_packet_data'>

function readSendColumns({ anchor, captures }: Match): SendColumns {
  const { packet, ...send } = readSend(referenceAt(need(captures.find('callback'), 'callback'), 0, 0, 0))
  return {
    layerzero_send_data: {
      ...send,
      uln: need(captures.call(LAYERZERO.ulnSend), 'ULN').destination,
      endpoint: anchor.destination,
      channel: need(captures.call(LAYERZERO.channelSend), 'channel').destination,
    },
    layerzero_packet_data: packet,
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

const isHashOf = (address: string | null, packet: Packet): boolean =>
  address !== null && BigInt(`0x${address.slice(address.indexOf(':') + 1)}`) === BigInt(packet.dst_oapp)

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
    const packet = readPacket(referenceAt(execution, 0, 0))
    if (!isHashOf(execution.destination, packet)) return undefined
    const columns = (): Columns => ({
      source: anchor.source,
      destination: execution.destination,
      destination_secondary: execution.source,
      layerzero_packet_data: packet,
    })
    return { type: 'layerzero_receive', columns }
  },
}

const commitPacket: Matcher = {
  name: 'layerzero_commit_packet',
  anchors: [LAYERZERO.ulnCommit],
  pattern: over(
    call(LAYERZERO.ulnCommit),
    as(
      'connection',
      over(
        call(LAYERZERO.connectionCommit),
        as(
          'endpoint',
          over(
            call(LAYERZERO.endpointCommit),
            as(
              'channel',
              overList(
                call(LAYERZERO.channelCommit),
                event,
                maybe(as('callback', over(call(LAYERZERO.commitCallback), change))),
              ),
            ),
          ),
        ),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const channel = need(captures.find('channel'), 'channel')
    const packet = readPacket(referenceAt(channel, 0, 0))
    const callback = need(captures.find('callback'), 'callback')
    const connection = need(captures.find('connection'), 'connection').destination
    const columns = (): Columns => ({
      source: anchor.source,
      source_secondary: need(captures.find('endpoint'), 'endpoint').destination,
      // Both columns name the connection: clients know the row so. The ULN itself is the receiver of the
      // first message.
      destination: connection,
      destination_secondary: connection,
      asset: channel.destination,
      asset_secondary: callback.destination,
      layerzero_packet_data: packet,
    })
    return { type: 'layerzero_commit_packet', columns }
  },
}

const STATUSES: Readonly<Record<number, string>> = {
  1002188907: 'succeeded',
  2144056492: 'nonce_out_of_range',
  700792747: 'dvn_not_configured',
}

const dvnVerify: Matcher = {
  name: 'layerzero_dvn_verify',
  anchors: [LAYERZERO.dvnVerify],
  pattern: over(
    call(LAYERZERO.dvnVerify),
    as(
      'proxy',
      over(
        call(LAYERZERO.proxyCall),
        as(
          'uln',
          over(
            call(LAYERZERO.ulnVerify),
            as(
              'connection',
              overList(
                call(LAYERZERO.connectionVerify),
                event,
                maybe(as('callback', over(call(LAYERZERO.verifyCallback), change))),
              ),
            ),
          ),
        ),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const slice = expectHeader(
      referenceAt(need(captures.find('callback'), 'callback'), 0, 0),
      116,
      STATUS_HEADER,
    )
    const nonce = slice.loadUintBig(64)
    const status = slice.loadUint(32)
    const at = (label: string) => need(captures.find(label), label).destination
    const columns = (): Columns => ({
      source: anchor.source,
      layerzero_dvn_verify_data: {
        nonce,
        status: STATUSES[status] ?? `unknown_${status}`,
        dvn: anchor.destination,
        proxy: at('proxy'),
        uln: at('uln'),
        uln_connection: at('connection'),
      },
    })
    return { type: 'layerzero_dvn_verify', columns }
  },
}

export const layerzero: readonly Matcher[] = [send, sendTokens, receive, commitPacket, dvnVerify]
