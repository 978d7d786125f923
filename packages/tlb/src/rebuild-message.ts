import { Builder, type Cell } from '@shardwalk/cells'
import { DecodeError, type ExtraCurrencies, type RawAddress } from '@shardwalk/model'
import { storeCurrencyCollection } from './currency.ts'

/** What an index keeps of an internal message; how its parts are laid out in cells is not among it. */
export interface InternalMessageParts {
  readonly ihrDisabled: boolean
  readonly bounce: boolean
  readonly bounced: boolean
  readonly source: RawAddress
  readonly destination: RawAddress
  /** Nanotons. */
  readonly value: bigint
  readonly extraCurrencies?: ExtraCurrencies | undefined
  /** The fee before global version 12, flags since. */
  readonly ihrFeeOrExtraFlags: bigint
  readonly fwdFee: bigint
  readonly createdLt: bigint
  /** Unix seconds. */
  readonly createdAt: number
  readonly initState?: Cell | undefined
  readonly body: Cell
}

/**
 * The cell of an internal message with this hash: state-init and body are tried in line and in a reference.
 * Undefined: no layout has the hash, as with addresses that have anycast or an unusual form.
 * Source: block.tlb `int_msg_info$0`, `message$_ … init:(Maybe (Either StateInit ^StateInit))
 * body:(Either X ^X)`.
 */
export function rebuildMessage(parts: InternalMessageParts, hash: Buffer): Cell | undefined {
  for (const init of parts.initState ? (['reference', 'in line'] as const) : [undefined])
    for (const body of ['reference', 'in line'] as const) {
      const cell = build(parts, { init, body })
      if (cell?.hash().equals(hash)) return cell
    }
  return undefined
}

type Place = 'reference' | 'in line'

interface Layout {
  readonly init: Place | undefined
  readonly body: Place
}

/** Undefined when the parts do not fit into the cell. */
function build(parts: InternalMessageParts, layout: Layout): Cell | undefined {
  try {
    const builder = storeInfo(new Builder(), parts)
    if (!parts.initState || !layout.init) builder.storeBit(false)
    else storeEither(builder.storeBit(true), parts.initState, layout.init)
    return storeEither(builder, parts.body, layout.body).endCell()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function storeInfo(builder: Builder, parts: InternalMessageParts): Builder {
  builder
    .storeBit(false)
    .storeBit(parts.ihrDisabled)
    .storeBit(parts.bounce)
    .storeBit(parts.bounced)
    .storeAddress(parts.source)
    .storeAddress(parts.destination)
  storeCurrencyCollection(builder, {
    grams: parts.value,
    ...(parts.extraCurrencies && { extra: parts.extraCurrencies }),
  })
  return builder
    .storeCoins(parts.ihrFeeOrExtraFlags)
    .storeCoins(parts.fwdFee)
    .storeUint(parts.createdLt, 64)
    .storeUint(parts.createdAt, 32)
}

const storeEither = (builder: Builder, cell: Cell, place: Place): Builder =>
  place === 'reference' ? builder.storeBit(true).storeRef(cell) : builder.storeBit(false).storeCell(cell)
