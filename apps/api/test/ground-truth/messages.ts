import { type Address, beginCell, type Cell, loadMessage, type Message } from '@ton/core'
import { base64, currencies, type Expected } from './description.ts'
import type { ExpectedMessage, Messages } from './expected-chain.ts'

const raw = (address: Address) => `${address.workChain}:${address.hash.toString('hex').toUpperCase()}`

/** A message is read once; both of its ends have the same. */
export function readMessage(cell: Cell, messages: Messages): ExpectedMessage {
  const key = base64(cell.hash())
  const known = messages.get(key)
  if (known) return known
  const m = loadMessage(cell.beginParse())
  const opcode = !m.body.isExotic && m.body.bits.length >= 32 ? m.body.beginParse().loadUint(32) : undefined
  const norm = m.info.type === 'external-in' ? normalisedHash(m) : undefined
  const hashNorm = norm && !norm.equals(cell.hash()) ? norm : undefined
  const message: ExpectedMessage = {
    ...envelope(m),
    key,
    hash: cell.hash(),
    hashNorm,
    opcode,
    bodyHash: m.body.hash(),
    get json() {
      return {
        hash: key,
        ...infoJson(m),
        opcode: opcode ?? null,
        message_content: { hash: base64(m.body.hash()) },
        init_state: m.init ? { hash: base64(initCell(cell).hash()) } : null,
        ...(hashNorm && { hash_norm: base64(hashNorm) }),
      }
    },
  }
  messages.set(key, message)
  return message
}

function envelope({
  info,
}: Message): Pick<ExpectedMessage, 'kind' | 'source' | 'destination' | 'createdLt' | 'createdAt'> {
  switch (info.type) {
    case 'internal':
      return {
        kind: 'internal',
        source: raw(info.src),
        destination: raw(info.dest),
        createdLt: info.createdLt,
        createdAt: info.createdAt,
      }
    case 'external-in':
      return { kind: 'external_in', destination: raw(info.dest) }
    case 'external-out':
      return {
        kind: 'external_out',
        source: raw(info.src),
        createdLt: info.createdLt,
        createdAt: info.createdAt,
      }
  }
}

const NONE = {
  source: null,
  destination: null,
  value: null,
  value_extra_currencies: null,
  fwd_fee: null,
  ihr_fee: null,
  extra_flags: null,
  created_lt: null,
  created_at: null,
  ihr_disabled: null,
  bounce: null,
  bounced: null,
  import_fee: null,
}

/** The recorded network runs global version 12 from its first block: the former ihr_fee slot holds flags. */
function infoJson({ info }: Message): Expected {
  if (info.type === 'external-in')
    return { ...NONE, destination: raw(info.dest), import_fee: String(info.importFee) }
  const created = { created_lt: String(info.createdLt), created_at: String(info.createdAt) }
  if (info.type === 'external-out') return { ...NONE, ...created, source: raw(info.src) }
  return {
    ...NONE,
    ...created,
    source: raw(info.src),
    destination: raw(info.dest),
    value: String(info.value.coins),
    value_extra_currencies: currencies(info.value.other),
    fwd_fee: String(info.forwardFee),
    ihr_fee: '0',
    extra_flags: String(info.ihrFee),
    ihr_disabled: info.ihrDisabled,
    bounce: info.bounce,
    bounced: info.bounced,
  }
}

/** TEP-467. */
function normalisedHash(m: Message): Buffer {
  const { dest } = m.info as { dest: Address }
  return beginCell()
    .storeUint(8, 4)
    .storeAddress(dest)
    .storeCoins(0)
    .storeBit(0)
    .storeBit(1)
    .storeRef(m.body)
    .endCell()
    .hash()
}

/** The state init is a separate cell of the message, or inline; in that case it is copied bit by bit. */
function initCell(cell: Cell): Cell {
  const s = cell.beginParse()
  const isExternalIn = s.preloadUint(2) === 2
  if (isExternalIn) {
    s.skip(2)
    s.loadAddressAny()
    s.loadAddress()
    s.loadCoins()
  } else {
    s.skip(4)
    s.loadAddressAny()
    s.loadAddress()
    s.loadCoins()
    s.loadMaybeRef()
    s.loadCoins()
    s.loadCoins()
    s.skip(96)
  }
  s.loadBit()
  if (s.loadBit()) return s.loadRef()
  const inline = beginCell()
  if (s.loadBit()) inline.storeBit(1).storeUint(s.loadUint(5), 5)
  else inline.storeBit(0)
  if (s.loadBit()) inline.storeBit(1).storeUint(s.loadUint(2), 2)
  else inline.storeBit(0)
  for (let i = 0; i < 3; i++) inline.storeMaybeRef(s.loadMaybeRef())
  return inline.endCell()
}
